package dev.couchjobs.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A program as a release has it, unpacked and set up as its README says, but in other directories.
 *
 * @param name that of its module and of its directory in {@code /opt}
 * @param root what is {@code /opt/<name>} elsewhere
 * @param etc what is {@code /etc/couch-jobs} elsewhere
 * @param var what is {@code /var/lib} elsewhere
 */
record Tarball(String name, Path root, Path etc, Path var) {
    static Tarball unpack(String name, Path directory) throws IOException, InterruptedException {
        Path target = ProjectModule.directoryOf(name).resolve("target");
        String version = ProjectModule.parent().texts("version").get(0);
        String full = name + "-" + version;
        Process tar = new ProcessBuilder(
                        "tar", "-xpzf", target.resolve(full + ".tar.gz").toString(), "-C", directory.toString())
                .redirectErrorStream(true)
                .start();
        String said = text(tar);
        if (tar.waitFor() != 0) {
            throw new IOException(said);
        }
        Tarball tarball = new Tarball(
                name,
                directory.resolve(full),
                directory.resolve("etc"),
                Files.createDirectory(directory.resolve("var")));
        tarball.configure();
        return tarball;
    }

    /** As the configuration is, on any port, and without a CouchDB that may be on this machine. */
    private void configure() throws IOException {
        Files.createDirectory(etc);
        for (Path file : files("conf")) {
            Files.writeString(
                    etc.resolve(file.getFileName()),
                    Files.readString(file)
                            .replace("/var/lib", var.toString())
                            .replace("127.0.0.1:5984", "127.0.0.1:1")
                            .replace("port = 7470", "port = 0"));
        }
    }

    UnitFile unit() throws IOException {
        return UnitFile.read(root.resolve("systemd").resolve(name + ".service"));
    }

    Containerfile containerfile() throws IOException {
        return Containerfile.read(root.resolve("Containerfile"));
    }

    List<Path> files(String directory) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(directory))) {
            return files.sorted().toList();
        }
    }

    /** {@return the place of a file that unit or image have at a fixed one} */
    String here(String word) {
        return word.replace("/opt/" + name, root.toString()).replace("/etc/couch-jobs", etc.toString());
    }

    /** Starts a command of the unit or the image, with the Java of this test. */
    Process start(List<String> words, Map<String, String> variables) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(words.stream().map(this::here).toList()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"); // it lives for seconds
        builder.environment().putAll(variables);
        return builder.start();
    }

    /** {@return the status with which a command ends, and what it has said} */
    List<String> run(List<String> words, Map<String, String> variables) throws IOException, InterruptedException {
        Process process = start(words, variables);
        List<String> said = new ArrayList<>(text(process).lines().toList());
        said.add(0, String.valueOf(process.waitFor()));
        return said;
    }

    private static String text(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
