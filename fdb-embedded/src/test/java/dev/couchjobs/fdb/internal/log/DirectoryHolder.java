package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.StorageException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A process that opens a directory and keeps it until its input ends.
 *
 * @param answer where its base is, or why it could not be opened
 */
record DirectoryHolder(Process process, String answer) {
    public static void main(String[] arguments) throws IOException {
        try (DatabaseDirectory directory = DatabaseDirectory.open(Path.of(arguments[0]), new SystemFiles(), 1 << 14)) {
            System.out.println(directory.base());
            while (System.in.read() >= 0) {
                // Whatever it is told, it goes on.
            }
        } catch (StorageException e) {
            System.out.println(e.getMessage());
        }
    }

    static DirectoryHolder start(Path directory) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // for a process that lives for seconds
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DirectoryHolder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new DirectoryHolder(process, String.valueOf(process.inputReader().readLine()));
    }
}
