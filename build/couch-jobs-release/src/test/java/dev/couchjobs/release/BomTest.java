package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** The pom that gives a project the versions of all modules. */
class BomTest {
    @Test
    void itHasEveryPublishedArtifact() throws IOException {
        List<String> published = ProjectModule.publishedJars().stream()
                .flatMap(BomTest::artifacts)
                .toList();
        List<String> managed = ProjectModule.bom().elements("dependencyManagement/dependencies/dependency").stream()
                .map(BomTest::artifact)
                .toList();
        assertThat(managed)
                .as(
                        "list it in build/couch-jobs-bom/pom.xml, or set maven.deploy.skip in the pom of a module that is not"
                                + " published")
                .containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void itHasNothingOfTheParent() throws IOException {
        Pom bom = ProjectModule.bom();
        assertThat(bom.elements("parent")).isEmpty();
        assertThat(bom.elements("properties")).isEmpty();
        assertThat(bom.elements("build")).isEmpty();
        assertThat(bom.texts("dependencyManagement/dependencies/dependency/groupId"))
                .containsOnly("dev.couchjobs");
        assertThat(bom.texts("version")).isEqualTo(ProjectModule.parent().texts("version"));
    }

    private static Stream<String> artifacts(ProjectModule module) {
        return module.hasTestJar() ? Stream.of(module.name(), module.name() + " test-jar") : Stream.of(module.name());
    }

    private static String artifact(Element dependency) {
        String name = Pom.children(dependency, "artifactId").get(0).getTextContent();
        return Pom.children(dependency, "type").stream()
                .map(type -> name + " " + type.getTextContent())
                .findFirst()
                .orElse(name);
    }
}
