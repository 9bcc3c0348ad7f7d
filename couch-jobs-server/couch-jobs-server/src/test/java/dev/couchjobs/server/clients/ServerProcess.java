package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.HaltingPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A server in a process of its own. */
final class ServerProcess extends KillableServer {
    private final Path directory;
    private @Nullable ClientProcess process;

    ServerProcess(Path directory) {
        this.directory = directory;
    }

    void start() {
        start("ServerMain", List.of("--directory", directory.toString(), "--port", port()));
    }

    @Override
    void startHalting(int fatal, boolean takesEffect) {
        start(
                "HaltingServer",
                List.of(directory.toString(), port(), Integer.toString(fatal), Boolean.toString(takesEffect)));
    }

    private void start(String program, List<String> args) {
        process = ClientProcess.startJava("dev.couchjobs.server." + program, address(), "", args);
    }

    private String port() {
        return Integer.toString(address().getPort());
    }

    @Override
    String output() {
        return process == null ? "" : process.output();
    }

    /** Kills the server, and starts another one. */
    void restart() {
        close();
        start();
    }

    @Override
    boolean isHalted() {
        ClientProcess server = Objects.requireNonNull(process);
        if (server.isAlive()) {
            return false;
        }
        assertThat(server.awaitExit()).as(server.output()).isEqualTo(HaltingPlan.KILLED);
        return true;
    }

    /** Kills the server. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
