package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker with few places for jobs of many types claims for places that are free, and for no others. */
class ManyTypesTest {
    private static final int PLACES = 4;
    private static final Duration JOB = Duration.ofMillis(500);
    /** So long that the activity monitors of all types do next to nothing meanwhile. */
    private static final Duration TIMEOUT = Duration.ofHours(10);

    private final Simulation simulation = Simulation.builder(11).calm().build();
    private final Database database = simulation.database();
    private final SimulatedProcess home = simulation.process("home");
    private final TransactionCountingDatabase counted = new TransactionCountingDatabase(home.database());
    private final CouchJobs jobs = CouchJobs.builder(counted.asDatabase())
            .environment(new Environment(home.clock(), home.scheduler(), home.random()))
            .build();
    private final List<String> begun = new ArrayList<>();

    @AfterEach
    void end() {
        simulation.close();
    }

    private List<JobType<String, Void>> types(int count) {
        List<JobType<String, Void>> types = IntStream.range(0, count)
                .mapToObj(i -> JobType.of("type-" + i, String.class))
                .toList();
        types.forEach(type -> simulation.await(jobs.types().setTypeTimeout(database, type, TIMEOUT)));
        return types;
    }

    private void work(List<JobType<String, Void>> types) {
        WorkerBuilder builder = jobs.worker().concurrency(PLACES).executor(home.scheduler());
        types.forEach(type -> builder.handleAsync(type, this::handle));
        builder.start();
        simulation.advance(Duration.ofSeconds(5));
    }

    private CompletableFuture<Void> handle(JobContext<String> job) {
        begun.add(job.job().type().name());
        CompletableFuture<Void> end = new CompletableFuture<>();
        var unused = home.scheduler().schedule(() -> end.complete(null), JOB.toMillis(), TimeUnit.MILLISECONDS);
        return end;
    }

    /** Adds jobs of all types at once. */
    private void add(List<JobType<String, Void>> types, int each) {
        for (JobType<String, Void> type : types) {
            List<NewJob<String>> some = new ArrayList<>();
            IntStream.range(0, each)
                    .forEach(i -> some.add(NewJob.of(type, "data").id("j" + i)));
            simulation.await(jobs.addAll(database, some));
        }
    }

    private void awaitEnds(int count) {
        for (int second = 0; second < 10 + count; second++) {
            simulation.advance(Duration.ofSeconds(1));
        }
        assertThat(begun).hasSizeGreaterThanOrEqualTo(count);
    }

    private void checkCost(List<JobType<String, Void>> types, int each) {
        work(types);
        int before = counted.transactions();

        add(types, each);
        awaitEnds(types.size() * each / (PLACES * 2));

        int all = types.size() * each;
        long claims = 0;
        for (JobType<String, Void> type : types) {
            for (int i = 0; i < each; i++) {
                var job = simulation.await(jobs.getJob(database, type, "j" + i)).orElseThrow();
                assertThat(job.state()).isEqualTo(JobState.FINISHED);
                claims += job.claims();
            }
        }
        double transactions = counted.transactions() - before;
        assertThat((double) claims / all).isLessThanOrEqualTo(1.1);
        assertThat(transactions / all).isLessThanOrEqualTo(3);
    }

    @Test
    void jobsOfManyTypesThatAreScheduledForLaterCostNothingUntilThen() {
        List<JobType<String, Void>> types = types(200);
        Instant later = home.clock().instant().plus(Duration.ofHours(3));
        types.forEach(type ->
                simulation.await(jobs.add(database, NewJob.of(type, "data").at(later))));
        work(types);
        simulation.advance(Duration.ofMinutes(10));
        int before = counted.transactions();

        simulation.advance(Duration.ofHours(1));
        assertThat(counted.transactions() - before).isLessThan(20 * types.size());
        assertThat(begun).isEmpty();

        simulation.advance(Duration.ofHours(2));
        assertThat(begun).hasSize(types.size());
    }

    @Test
    void twoHundredTypesCostAboutAsMuchForEachJobAsOne() {
        checkCost(types(200), 5);
    }

    @Test
    void eightTypesCostAboutAsMuchForEachJobAsOne() {
        checkCost(types(8), 50);
    }
}
