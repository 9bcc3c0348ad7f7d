package dev.couchjobs.costs;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.JobType;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A database in virtual time, a way to it that is measured, and an instance that goes another way, to set the scene
 * with.
 */
final class MeasuredStage implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final VirtualStage stage;
    private final MeasuredDatabase measured;
    private final CouchJobs others;

    /**
     * Makes a type in an empty database, of which there has just been a job.
     *
     * @param seed of all randomness
     * @param type of all jobs
     */
    MeasuredStage(long seed, JobType<String, ?> type) {
        this(seed, type, Duration.ofMillis(1));
    }

    /** The same, where every answer on the way that is measured takes so long. */
    MeasuredStage(long seed, JobType<String, ?> type, Duration roundTrip) {
        stage = new VirtualStage(seed);
        measured = new MeasuredDatabase(stage.database(), stage.time(), roundTrip);
        others = builder(stage.database()).build();
        await(others.types().setTypeTimeout(database(), type, TIMEOUT));
        await(others.add(database(), type, "mail-00000000", "data"));
        await(others.remove(database(), type, "mail-00000000"));
    }

    /** {@return what builds a further instance} */
    CouchJobsBuilder builder(Database way) {
        return CouchJobs.builder(way).environment(stage.environment());
    }

    /** The instance that is not measured. */
    CouchJobs others() {
        return others;
    }

    /** The way that is not measured. */
    Database database() {
        return stage.database();
    }

    Database measured() {
        return measured.asDatabase();
    }

    List<MeasuredTry> tries() {
        return measured.tries();
    }

    void forget() {
        measured.forget();
    }

    VirtualScheduler time() {
        return stage.time();
    }

    <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    @Override
    public void close() {
        others.close();
        stage.close();
    }
}
