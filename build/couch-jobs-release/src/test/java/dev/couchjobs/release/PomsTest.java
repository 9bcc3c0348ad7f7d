package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/** What Maven Central asks of poms: some of it each says itself, the rest it inherits. */
class PomsTest {
    static List<ProjectModule> modules() throws IOException {
        return ProjectModule.published();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void eachSaysWhatItIs(ProjectModule module) {
        assertThat(module.pom().texts("artifactId")).containsExactly(module.name());
        assertThat(module.pom().texts("name")).singleElement().asString().isNotBlank();
        assertThat(module.pom().texts("description")).singleElement().asString().isNotBlank();
    }

    /** Spring Boot does not start if another provider is before its own on the class path. */
    @ParameterizedTest
    @MethodSource("modules")
    void noneBringsAProviderOfSlf4jToAnApplication(ProjectModule module) {
        assertThat(module.pom().elements("dependencies/dependency"))
                .filteredOn(dependency -> hasText(dependency, "artifactId", "slf4j-simple"))
                .allMatch(
                        dependency -> hasText(dependency, "scope", "test") || hasText(dependency, "optional", "true"));
    }

    private static boolean hasText(Element parent, String name, String text) {
        return Pom.children(parent, name).stream()
                .anyMatch(child -> child.getTextContent().strip().equals(text));
    }

    @Test
    void theParentHasTheRest() throws IOException {
        saysTheRest(ProjectModule.parent());
    }

    /** It is published without the parent. */
    @Test
    void theBomHasTheRestAsWell() throws IOException {
        saysTheRest(ProjectModule.bom());
    }

    private static void saysTheRest(Pom pom) {
        assertThat(pom.texts("url")).singleElement().asString().startsWith("https://");
        assertThat(pom.texts("licenses/license/name")).containsExactly("Apache-2.0");
        assertThat(pom.texts("licenses/license/url")).singleElement().asString().startsWith("https://");
        assertThat(pom.texts("developers/developer/name")).isNotEmpty();
        assertThat(pom.texts("scm/url")).singleElement().asString().startsWith("https://");
        assertThat(pom.texts("scm/connection")).singleElement().asString().startsWith("scm:git:");
    }
}
