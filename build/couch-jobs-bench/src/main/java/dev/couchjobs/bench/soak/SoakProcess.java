package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A program of this class path in a process of its own, which is killed and started again. */
final class SoakProcess implements AutoCloseable {
    /** Begins the answer to a line that could not be answered. */
    static final String FAILED = "failed: ";

    private static final String HEAP = "512m";
    private static final int TRIES = 5;

    private final Class<?> program;
    private final List<String> words;
    private final Path log;
    private final Object asking = new Object();
    private volatile @Nullable Running running;

    private record Running(Process process, BufferedReader out) {
        String line() throws IOException {
            String line = out.readLine();
            if (line == null || line.startsWith(FAILED)) {
                throw new IOException(line == null ? "The process has ended." : line);
            }
            return line;
        }

        void kill() {
            process.destroyForcibly().onExit().join();
        }
    }

    /** A process that is not started yet; what it logs is appended to a file. */
    SoakProcess(Class<?> program, Path log, List<String> words) {
        this.program = program;
        this.log = log;
        this.words = words;
    }

    /** Starts it, and returns when it is ready. A database may need some tries to open while a cluster recovers. */
    synchronized void start() throws IOException {
        for (int attempt = 1; running == null; attempt++) {
            try {
                startOnce();
            } catch (IOException e) {
                if (attempt == TRIES) {
                    throw e;
                }
            }
        }
    }

    private void startOnce() throws IOException {
        List<String> command = JavaCommand.of(program, HEAP);
        command.add(1, "-Dorg.slf4j.simpleLogger.showDateTime=true");
        command.addAll(words);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        Running started = new Running(process, process.inputReader(StandardCharsets.UTF_8));
        try {
            started.line();
        } catch (IOException e) {
            started.kill();
            throw new IOException(program.getSimpleName() + " does not start; see " + log.toAbsolutePath(), e);
        }
        running = started;
    }

    /** Kills it as {@code kill -9} does, and starts it again. */
    synchronized void restart() throws IOException {
        close();
        start();
    }

    /** {@return whether it had ended by itself; then it is started again} */
    synchronized boolean startIfEnded() throws IOException {
        Running current = running;
        boolean hasEnded = current != null && !current.process.isAlive();
        if (hasEnded) {
            restart();
        }
        return hasEnded;
    }

    /** {@return the number of the process, or empty if it does not run} */
    OptionalLong pid() {
        Running current = running;
        return current == null || !current.process.isAlive()
                ? OptionalLong.empty()
                : OptionalLong.of(current.process.pid());
    }

    /**
     * Asks the process, which answers one line with one line.
     *
     * @throws IOException if it is killed meanwhile, or cannot answer
     */
    String ask(String line) throws IOException {
        synchronized (asking) {
            Running current = running;
            if (current == null) {
                throw new IOException("The process does not run.");
            }
            current.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            current.process.getOutputStream().flush();
            return current.line();
        }
    }

    /** Kills it. */
    @Override
    public synchronized void close() {
        Running current = running;
        running = null;
        if (current != null) {
            current.kill();
        }
    }
}
