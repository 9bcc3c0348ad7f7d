package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What users compile against: docs/stability.md says what may change. */
class PublicApiTest {
    private static final Path DESCRIPTIONS = ProjectModule.PROJECT.resolve("docs/api");

    static List<ProjectModule> modules() throws IOException {
        return ProjectModule.publishedJars();
    }

    /** With {@code -Dapi.write} the description follows the code. */
    @ParameterizedTest
    @MethodSource("modules")
    void theDescriptionSaysWhatTheJarHas(ProjectModule module) throws IOException {
        Path file = DESCRIPTIONS.resolve(module.name() + ".txt");
        String present = PublicApi.of(module.jar());
        if (System.getProperty("api.write") != null) {
            Files.createDirectories(DESCRIPTIONS);
            Files.writeString(file, present);
        }
        assertThat(file)
                .as("write the first description: see docs/stability.md")
                .exists();
        assertThat(PublicApi.changes(Files.readString(file), present))
                .as(
                        "the public API of %s differs from docs/api/%s.txt: docs/stability.md says what may change, and has the"
                                + " command that writes the file",
                        module, module)
                .isEmpty();
    }

    @Test
    void aChangeIsNamedWithItsType() {
        String before = "module m\n\npublic class A {\n  public void go();\n  public int size();\n}\n";
        assertThat(PublicApi.changes(before, before)).isEmpty();
        assertThat(PublicApi.changes(before, before.replace("int", "long")))
                .containsExactly(
                        "removed: public class A {  public int size();",
                        "added: public class A {  public long size();");
    }

    @Test
    void everyDescriptionIsOfAModule() throws IOException {
        List<String> names = modules().stream().map(module -> module + ".txt").toList();
        try (var files = Files.list(DESCRIPTIONS)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(names);
        }
    }

    /** A name that Java makes of the name of a file changes with it. */
    @ParameterizedTest
    @MethodSource("modules")
    void theJarNamesItsModule(ProjectModule module) throws IOException {
        try (JarFile jar = new JarFile(module.jar().toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Automatic-Module-Name")).startsWith("dev.couchjobs");
        }
    }

    /** Java refuses two modules of one name, and two that have a package in common. */
    @Test
    void theJarsFitTogetherOnTheModulePath() throws IOException {
        Map<String, String> owners = new TreeMap<>();
        for (ProjectModule module : modules()) {
            ModuleDescriptor descriptor =
                    ModuleFinder.of(module.jar()).findAll().iterator().next().descriptor();
            assertThat(owners.putIfAbsent("module " + descriptor.name(), module.name()))
                    .as(descriptor.name())
                    .isNull();
            for (String name : descriptor.packages()) {
                assertThat(owners.putIfAbsent(name, module.name()))
                        .as("package %s of %s", name, module)
                        .isNull();
            }
        }
    }
}
