package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Processes with a worker of one place each, all of which handle the same types, and a client that adds jobs. Each has
 * a connection and a probe of its own.
 */
final class BenchmarkFleet implements AutoCloseable {
    static final int JOB_MILLIS = 20;
    private static final int THREADS = 16;

    private final CouchJobsSystem system;
    private final JobTally tally;
    private final List<Database> connections;
    private final List<Probe> probes;
    private final Probe clientProbe = new Probe();
    private final CouchJobsSystem.Member client;
    private final LatencyRecorder latencies = new LatencyRecorder();
    private final List<CouchJobsSystem.Member> processes = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    /** Connects that many processes; none of them works yet. */
    BenchmarkFleet(CouchJobsSystem system, JobTally tally, int count) {
        this.system = system;
        this.tally = tally;
        connections =
                IntStream.range(0, count).mapToObj(process -> system.connect()).toList();
        probes = connections.stream().map(connection -> new Probe()).toList();
        client = system.join(clientProbe.on(system.connect()));
    }

    int count() {
        return connections.size();
    }

    /** How long the jobs waited for their start. */
    LatencyRecorder latencies() {
        return latencies;
    }

    /** One of the processes again, which does not work. */
    CouchJobsSystem.Member join(int process) {
        return system.join(probes.get(process).on(connections.get(process)));
    }

    /** One process more, which is not measured. */
    CouchJobsSystem.Member joinAnother() {
        return system.join();
    }

    /** Starts all processes. */
    void start() throws InterruptedException {
        IntStream.range(0, count()).mapToObj(this::join).forEach(processes::add);
        inAll(process -> processes.get(process).work(1, this::run));
    }

    private CompletableFuture<Void> run(int number) {
        latencies.end(number);
        tally.run(number);
        CompletableFuture<Void> done = new CompletableFuture<>();
        var unused = timer.schedule(() -> done.complete(null), JOB_MILLIS, TimeUnit.MILLISECONDS);
        return done;
    }

    /** Ends all processes as an operator would. */
    void stop() throws InterruptedException {
        inAll(process -> processes.get(process).close());
        processes.clear();
    }

    /** Adds jobs in a transaction of their own; their delays begin. */
    void add(int count) {
        int first = tally.next(count);
        latencies.begin(first, count);
        client.addAll(first, count);
    }

    /** Adds jobs in a transaction for each process, many at a time. */
    void addForEach(int count) throws InterruptedException {
        inAll(process -> add(count));
    }

    /** Begins to count again. */
    void forget() {
        probes().forEach(Probe::forget);
        latencies.forget();
    }

    /** Those of all processes and of the client. */
    List<Probe> probes() {
        List<Probe> all = new ArrayList<>(probes);
        all.add(clientProbe);
        return all;
    }

    /** Does something for each process, for many at a time. */
    void inAll(IntConsumer step) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        SystemUnderTest.inThreads(Math.min(THREADS, count()), () -> {
            int process;
            while ((process = next.getAndIncrement()) < count()) {
                step.accept(process);
            }
        });
    }

    @Override
    public void close() {
        processes.forEach(CouchJobsSystem.Member::close);
        client.close();
        timer.shutdownNow();
    }
}
