package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * couch-jobs on the embedded engine, all on one thread and in virtual time. So the same calls make the same
 * transactions in every run, however busy the machine is.
 */
final class VirtualJobs implements AutoCloseable {
    private static final int CONCURRENCY = 200;
    private static final int HUNDRED = 100;
    private static final long SEED = 19;
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final int MOMENTS = 10_000;
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);

    private final VirtualScheduler time = new VirtualScheduler();
    private final String[] payloads = Load.of(1).payloads();
    private final Database database;
    private final Database connection;
    private final CouchJobs jobs;
    private int added;
    private int run;

    /**
     * Opens a database, which closing this closes.
     *
     * @param open opens it in an environment
     * @param way wraps it for the calls of the jobs
     */
    VirtualJobs(Function<EngineEnvironment, Database> open, UnaryOperator<Database> way) {
        RandomGenerator random = new SplittableRandom(SEED);
        database = open.apply(new EngineEnvironment(time, time, time::nanoTime, random));
        connection = way.apply(database);
        jobs = CouchJobs.builder(connection)
                .environment(new Environment(time, time, random))
                .name("bench")
                .build();
        time.await(jobs.types().setTypeTimeout(connection, TYPE, Duration.ofSeconds(30)));
    }

    void addOneByOne(int count) {
        for (int number = 0; number < count; number++) {
            time.await(jobs.add(connection, next()));
        }
    }

    void addInHundreds(int count) {
        for (int left = count; left > 0; left -= HUNDRED) {
            time.await(jobs.addAll(
                    connection,
                    IntStream.range(0, Math.min(HUNDRED, left))
                            .mapToObj(number -> next())
                            .toList()));
        }
    }

    private NewJob<String> next() {
        int number = added++;
        return NewJob.of(TYPE, payloads[number % payloads.length]).id(CouchJobsSystem.id(number));
    }

    /** Starts a worker, which runs the jobs only within {@link #runAll} and {@link #pause}. */
    Worker startWorker() {
        return jobs.worker()
                .concurrency(CONCURRENCY)
                .process(TYPE, job -> run++)
                .executor(time)
                .start();
    }

    /** Runs and ends all jobs that were added. */
    void runAll() {
        time.runUntilIdle();
        for (int moment = 0; moment < MOMENTS && run < added; moment++) {
            time.advance(MOMENT);
        }
        if (run != added) {
            throw new IllegalStateException("Of " + added + " jobs " + run + " have run");
        }
    }

    /** Waits until a worker is closed. */
    void stop(Worker worker) {
        time.await(worker.closeAsync());
    }

    /** Lets virtual time pass. */
    void pause(Duration duration) {
        time.advance(duration);
    }

    @Override
    public void close() {
        jobs.close();
        time.runUntilIdle();
        time.shutdown(); // from now on the engine works on the calling thread
        database.close();
    }
}
