package dev.couchjobs.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * FoundationDB's programs on this machine.
 *
 * @param server the path of {@code fdbserver}
 * @param cli the path of {@code fdbcli}
 */
public record FdbPrograms(String server, String cli) {
    private static final int SECONDS_TO_CONFIGURE = 60;

    /**
     * Starts a server process. It listens on the loopback.
     *
     * @param port its port
     * @param clusterFile the file that names the coordinators
     * @param options its further options
     * @param output the file to which its output is appended
     * @return the process
     * @throws IOException if it cannot be started
     */
    public Process start(int port, Path clusterFile, List<String> options, Path output) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                server,
                "--public-address",
                "127.0.0.1:" + port,
                "--cluster-file",
                clusterFile.toString(),
                "--cache-memory",
                "256MiB"));
        command.addAll(options);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    /**
     * Creates the database of a cluster.
     *
     * @param clusterFile the file that names the coordinators
     * @param configuration what follows {@code configure new}
     * @throws IOException if it is not created; its message is what {@code fdbcli} prints
     * @throws InterruptedException if the thread is interrupted
     */
    public void configure(Path clusterFile, String configuration) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        cli,
                        "-C",
                        clusterFile.toString(),
                        "--timeout",
                        Integer.toString(SECONDS_TO_CONFIGURE),
                        "--exec",
                        "configure new " + configuration)
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 || !printed.contains("Database created")) {
            throw new IOException("The cluster is not configured: " + printed.strip());
        }
    }
}
