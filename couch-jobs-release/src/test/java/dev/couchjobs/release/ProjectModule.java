package dev.couchjobs.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Maven module of this project. */
record ProjectModule(String name, Pom pom) {
    static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

    /** {@return the parent itself and each of its modules that a release publishes} */
    static List<ProjectModule> published() throws IOException {
        ProjectModule parent = new ProjectModule("couch-jobs-parent", parent());
        List<ProjectModule> published = new ArrayList<>(List.of(parent));
        for (String name : parent.pom.texts("modules/module")) {
            ProjectModule module =
                    new ProjectModule(name, Pom.read(PROJECT.resolve(name).resolve("pom.xml")));
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

    static Pom parent() throws IOException {
        return Pom.read(PROJECT.resolve("pom.xml"));
    }

    /** {@return the pom of couch-jobs-bom as it is published} */
    static Pom bom() throws IOException {
        return Pom.read(PROJECT.resolve("couch-jobs-bom/target/bom.xml"));
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
        return PROJECT.resolve(name).resolve("target");
    }

    private String version() {
        return pom.texts("parent/version").get(0);
    }

    @Override
    public String toString() {
        return name;
    }
}
