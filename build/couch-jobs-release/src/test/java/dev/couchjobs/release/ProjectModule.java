package dev.couchjobs.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Maven module of this project, in its directory. */
record ProjectModule(String name, Path directory, Pom pom) {
    static final Path PROJECT = Path.of("..", "..").toAbsolutePath().normalize();

    /** {@return the parent itself and each of its modules that a release publishes} */
    static List<ProjectModule> published() throws IOException {
        ProjectModule parent = new ProjectModule("couch-jobs-parent", PROJECT, parent());
        List<ProjectModule> published = new ArrayList<>(List.of(parent));
        for (String path : parent.pom.texts("modules/module")) {
            Path directory = PROJECT.resolve(path);
            ProjectModule module = new ProjectModule(
                    directory.getFileName().toString(), directory, Pom.read(directory.resolve("pom.xml")));
            if (!module.pom.texts("properties/maven.deploy.skip").contains("true")) {
                published.add(module);
            }
        }
        return published;
    }

    static List<ProjectModule> publishedJars() throws IOException {
        return published().stream()
                .filter(module -> !module.pom.texts("packaging").contains("pom"))
                .toList();
    }

    /** {@return the directory of a module with a name} */
    static Path directoryOf(String name) throws IOException {
        return parent().texts("modules/module").stream()
                .map(PROJECT::resolve)
                .filter(directory -> directory.endsWith(name))
                .findFirst()
                .orElseThrow();
    }

    static Pom parent() throws IOException {
        return Pom.read(PROJECT.resolve("pom.xml"));
    }

    /** {@return the pom of couch-jobs-bom as it is published} */
    static Pom bom() throws IOException {
        return Pom.read(PROJECT.resolve("build/couch-jobs-bom/target/bom.xml"));
    }

    boolean hasTestJar() {
        return pom.texts("build/plugins/plugin/executions/execution/goals/goal").contains("test-jar");
    }

    Path jar() {
        return target().resolve(name + "-" + version() + ".jar");
    }

    /** {@return the jar of tests of a module that has one; some have it apart} */
    Path testJar() {
        String file = name + "-" + version() + "-tests.jar";
        Path apart = target().resolve("attached").resolve(file);
        return Files.exists(apart) ? apart : target().resolve(file);
    }

    private Path target() {
        return directory.resolve("target");
    }

    private String version() {
        return pom.texts("parent/version").get(0);
    }

    @Override
    public String toString() {
        return name;
    }
}
