package dev.couchjobs.bench.server;

import com.apple.foundationdb.Database;
import com.sun.management.OperatingSystemMXBean;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.PageRequest;
import dev.couchjobs.bench.JavaCommand;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.ServerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A server in a process of its own, with a small heap. */
final class ServerProcess implements AutoCloseable {
    static final String HEAP = "256m";

    private static final int CONNECTIONS_MAX = 20_000;
    private static final int PAGE = 1_000;
    private static final String IN_MEMORY = "memory";
    private static final String HEAP_WORD = "heap";
    private static final String CPU_WORD = "cpu";
    private static final String WORKERS_WORD = "workers";

    private final Process process;
    private final BufferedReader out;
    private final int port;

    /**
     * What the process uses.
     *
     * @param heap bytes after a collection
     * @param cpu nanoseconds of all processors so far
     */
    record Usage(long heap, long cpu) {}

    private ServerProcess(Process process) throws IOException {
        this.process = process;
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        port = Integer.parseInt(line());
    }

    /** Starts a server, in memory unless there is a directory. */
    static ServerProcess start(Optional<Path> directory) throws IOException {
        List<String> command = JavaCommand.of(ServerProcess.class, HEAP);
        command.add(1, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.add(directory.map(Path::toString).orElse(IN_MEMORY));
        return new ServerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    int port() {
        return port;
    }

    Usage usage() throws IOException {
        return new Usage(ask(HEAP_WORD), ask(CPU_WORD));
    }

    /** {@return how many workers are listed} */
    long workers() throws IOException {
        return ask(WORKERS_WORD);
    }

    private long ask(String word) throws IOException {
        process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
        return Long.parseLong(line());
    }

    private String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("The server has ended.");
        }
        return line;
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }

    /**
     * The program of that process: it answers each line with what it uses, and ends with its input.
     *
     * @param words the directory of the database, or {@value #IN_MEMORY}
     * @throws IOException if its input cannot be read
     */
    public static void main(String... words) throws IOException {
        DatabaseLocation place = words[0].equals(IN_MEMORY)
                ? new DatabaseLocation.InMemory()
                : new DatabaseLocation.Directory(Path.of(words[0]));
        try (Database database = Databases.open(place);
                CouchJobs jobs = CouchJobs.on(database);
                JobsServer server = JobsServer.start(
                        JobsHttp.on(jobs, database)
                                .authenticator(Authenticator.always(Access.of("bench", Role.ADMIN)))
                                .feedClients(CONNECTIONS_MAX),
                        ServerOptions.on("127.0.0.1", 0).connections(CONNECTIONS_MAX));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println(server.address().getPort());
            for (String word = in.readLine(); word != null; word = in.readLine()) {
                System.out.println(
                        switch (word) {
                            case HEAP_WORD -> heap();
                            case CPU_WORD -> cpu();
                            default -> workers(jobs, database);
                        });
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long cpu() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static long workers(CouchJobs jobs, Database database) {
        long count = 0;
        PageRequest page = PageRequest.of(PAGE);
        while (true) {
            var workers = jobs.workers().list(database, page).join();
            count += workers.items().size();
            if (workers.next().isEmpty()) {
                return count;
            }
            page = PageRequest.of(PAGE).after(workers.next().get());
        }
    }
}
