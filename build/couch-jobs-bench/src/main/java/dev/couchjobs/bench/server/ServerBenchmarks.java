package dev.couchjobs.bench.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures a server in a process of its own, whose clients share the processors of this machine: claims and ends over
 * HTTP beside the worker in a process, many followers of a feed, and many calls that wait.
 */
public final class ServerBenchmarks {
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);
    private static final int CLAIMED_AT_ONCE = 10;
    private static final int ADDED_AT_ONCE = 100;
    private static final String LONG = "PT50S";
    private static final String SHORT = "PT10S";

    private final ServerSettings settings;

    ServerBenchmarks(ServerSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures, and prints tables.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a server ends, or refuses a request
     * @throws InterruptedException if its thread is interrupted
     * @throws ExecutionException if a client fails
     */
    public static void main(String... words) throws IOException, InterruptedException, ExecutionException {
        ServerBenchmarks server = new ServerBenchmarks(ServerSettings.parse(words));
        Set<ServerSettings.Part> parts = server.settings.parts();
        if (parts.contains(ServerSettings.Part.CLAIMS)) {
            System.out.println(server.claims("in memory", Optional.empty()));
            Path directory = Files.createTempDirectory(server.settings.directory(), "couch-jobs-bench");
            try {
                System.out.println(server.claims("in a directory", Optional.of(directory)));
            } finally {
                DirectoryFiles.delete(directory);
            }
        }
        if (parts.contains(ServerSettings.Part.FEEDS)) {
            System.out.println(server.feeds());
        }
        if (parts.contains(ServerSettings.Part.WAITS)) {
            System.out.println(server.waits());
        }
    }

    // Claims

    Table claims(String place, Optional<Path> directory) throws IOException, InterruptedException, ExecutionException {
        Table table =
                new Table("connections, " + place, "jobs/s", "ratio", "claim p50 ms", "p99", "finish p50 ms", "p99");
        try (ServerProcess server = ServerProcess.start(directory.map(path -> path.resolve("server")))) {
            new ClaimLoad(server.port(), last(), CLAIMED_AT_ONCE).run(2 * settings.jobs());
            inProcess(directory.map(path -> path.resolve("warm-up")), last());
            for (int connections : settings.connections()) {
                double inProcess = inProcess(directory.map(path -> path.resolve("worker-" + connections)), connections);
                table.add(connections + " slots, worker in the process", number(inProcess), "1.00", "", "", "", "");
                for (int atOnce : new int[] {1, CLAIMED_AT_ONCE}) {
                    ClaimLoad.Result result = new ClaimLoad(server.port(), connections, atOnce).run(settings.jobs());
                    table.add(
                            connections + ", claims of " + atOnce,
                            number(result.jobsPerSecond()),
                            Table.ratio(result.jobsPerSecond(), inProcess),
                            millis(result.claims(), 50),
                            millis(result.claims(), 99),
                            millis(result.ends(), 50),
                            millis(result.ends(), 99));
                }
            }
        }
        return table;
    }

    private int last() {
        return settings.connections().get(settings.connections().size() - 1);
    }

    /** {@return how many jobs a worker in this process runs in a second} */
    private double inProcess(Optional<Path> directory, int slots) throws InterruptedException {
        DatabaseLocation place = directory
                .<DatabaseLocation>map(DatabaseLocation.Directory::new)
                .orElse(new DatabaseLocation.InMemory());
        try (Database database = Databases.open(place);
                CouchJobs jobs = CouchJobs.on(database)) {
            run(database, jobs, slots);
            return settings.jobs() * 1e9 / run(database, jobs, slots);
        }
    }

    private long run(Database database, CouchJobs jobs, int slots) throws InterruptedException {
        for (int added = 0; added < settings.jobs(); added += ADDED_AT_ONCE) {
            jobs.addAll(
                            database,
                            IntStream.range(added, Math.min(settings.jobs(), added + ADDED_AT_ONCE))
                                    .mapToObj(i -> NewJob.of(TYPE, "jo"))
                                    .toList())
                    .join();
        }
        CountDownLatch left = new CountDownLatch(settings.jobs());
        long began = System.nanoTime();
        Worker worker = jobs.worker()
                .concurrency(slots)
                .process(TYPE, job -> left.countDown())
                .start();
        try {
            left.await();
        } finally {
            worker.close();
        }
        return System.nanoTime() - began; // with the commits of the last ends
    }

    // Feeds

    Table feeds() throws IOException {
        try (ServerProcess server = ServerProcess.start(Optional.empty())) {
            ClaimLoad.add(server.port(), 1);
            ServerProcess.Usage before = server.usage();
            try (ManyConnections clients = new ManyConnections(server.port(), settings.feeds(), "data: ")) {
                byte[] follow = HttpConnection.get("/v1/types/bench/feed?since=now", "text/event-stream");
                clients.send(i -> follow);
                int changes = settings.changes();
                clients.awaitFirstByte();
                ServerProcess.Usage connected = server.usage();
                long began = System.nanoTime();
                ClaimLoad.add(server.port(), changes);
                clients.await((long) clients.size() * changes);
                double seconds = (System.nanoTime() - began) / 1e9;
                ServerProcess.Usage after = server.usage();
                Table table = new Table(
                        "clients of a feed", "changes", "s to the last", "events/s", "server CPU s", "heap KiB each");
                table.add(
                        number(clients.size()),
                        number(changes),
                        String.format(Locale.ROOT, "%.2f", seconds),
                        number(clients.size() * (double) changes / seconds),
                        String.format(Locale.ROOT, "%.2f", (after.cpu() - connected.cpu()) / 1e9),
                        String.format(Locale.ROOT, "%.1f", (after.heap() - before.heap()) / 1024.0 / clients.size()));
                int[] extremes = clients.extremes();
                if (extremes[0] != extremes[1]) {
                    throw new IOException("A client got " + extremes[0] + " changes, another " + extremes[1] + ".");
                }
                return table;
            }
        }
    }

    // Waits

    Table waits() throws IOException {
        Table table = new Table("calls that wait", "s", "heap KiB each", "server CPU s");
        try (ServerProcess server = ServerProcess.start(Optional.empty())) {
            ClaimLoad.add(server.port(), 1);
            ServerProcess.Usage before = server.usage();
            try (ManyConnections clients = new ManyConnections(server.port(), settings.waits(), "\"order\"")) {
                UUID[] workers = IntStream.range(0, clients.size())
                        .mapToObj(i -> UUID.randomUUID())
                        .toArray(UUID[]::new);
                long began = System.nanoTime();
                clients.send(i -> ClaimLoad.claim(workers[i], 1, 1, LONG));
                while (server.workers() < clients.size()) {
                    Thread.onSpinWait();
                }
                ServerProcess.Usage waiting = server.usage();
                row(table, number(clients.size()) + " begin to wait", began, clients, before, waiting);
                began = System.nanoTime();
                ClaimLoad.add(server.port(), clients.size() - 1);
                clients.await(clients.size());
                row(table, "each gets a job", began, clients, waiting, server.usage());
                ServerProcess.Usage served = server.usage();
                began = System.nanoTime();
                clients.send(i -> ClaimLoad.claim(workers[i], 2, 1, SHORT));
                clients.await(2L * clients.size());
                row(table, "all time out after 10 s", began, clients, served, server.usage());
            }
        }
        return table;
    }

    private static void row(
            Table table,
            String name,
            long began,
            ManyConnections clients,
            ServerProcess.Usage before,
            ServerProcess.Usage after) {
        table.add(
                name,
                String.format(Locale.ROOT, "%.1f", (System.nanoTime() - began) / 1e9),
                String.format(Locale.ROOT, "%.1f", (after.heap() - before.heap()) / 1024.0 / clients.size()),
                String.format(Locale.ROOT, "%.1f", (after.cpu() - before.cpu()) / 1e9));
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }

    private static String millis(ConcurrentHistogram micros, double percentile) {
        return String.format(Locale.ROOT, "%.1f", micros.getValueAtPercentile(percentile) / 1e3);
    }
}
