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
 * Simulated processes with a worker of one slot each, for the same types, and a client that adds jobs. Each has its own
 * connection and its own probe.
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

    /** Connects that many processes, without starting their workers. */
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

    /** The latencies from the add of a job to its start. */
    LatencyRecorder latencies() {
        return latencies;
    }

    /** Another instance in one of the processes, without a worker. */
    CouchJobsSystem.Member join(int process) {
        return system.join(probes.get(process).on(connections.get(process)));
    }

    /** An additional process, which is not measured. */
    CouchJobsSystem.Member joinUnmeasured() {
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

    /** Stops all processes gracefully. */
    void stop() throws InterruptedException {
        inAll(process -> processes.get(process).close());
        processes.clear();
    }

    /** Adds jobs in one transaction, and starts to measure their latencies. */
    void add(int count) {
        int first = tally.next(count);
        latencies.begin(first, count);
        client.addAll(first, count);
    }

    /** Adds jobs in one transaction for each process, many transactions at a time. */
    void addForEach(int count) throws InterruptedException {
        inAll(process -> add(count));
    }

    /** Resets the probes and the latencies. */
    void reset() {
        probes().forEach(Probe::reset);
        latencies.reset();
    }

    /** The probes of all processes and of the client. */
    List<Probe> probes() {
        List<Probe> allProbes = new ArrayList<>(probes);
        allProbes.add(clientProbe);
        return allProbes;
    }

    /** Runs an action for each process, many at a time. */
    void inAll(IntConsumer action) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        SystemUnderTest.inThreads(Math.min(THREADS, count()), () -> {
            int process;
            while ((process = next.getAndIncrement()) < count()) {
                action.accept(process);
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
