package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs with unique keys beside changes of the jobs that have these, without waiting, while each read takes a while. */
class UniqueInOneTransactionTest {
    private static final JobType<String, Void> INDEX = JobType.of("index", String.class);
    private static final Unique USER = Unique.by("user-7");

    private final Simulation simulation = Simulation.builder(7)
            .calm()
            .latency(Duration.ofMillis(25), Duration.ofMillis(5))
            .build();
    private final SimulatedProcess process = simulation.process("creator");
    private final Database database = process.database();
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(process.clock(), process.scheduler(), process.random()))
            .build();

    @AfterEach
    void end() {
        simulation.close();
    }

    private static NewJob<String> job(String id, String data) {
        return NewJob.of(INDEX, data).id(id);
    }

    private AddResult put(NewJob<String> job) {
        return simulation.await(jobs.add(database, job));
    }

    private Optional<String> dataOf(String id) {
        return simulation.await(jobs.getJobData(database, INDEX, id));
    }

    /** The first job gives its key up for another, and the second job wants that key. */
    private static final List<NewJob<String>> KEY_GOES_ON = List.of(
            job("j1", "second").unique(Unique.by("user-8")), job("j3", "third").unique(USER.replacing()));

    private void assertKeyWentOn(List<AddResult> results) {
        assertThat(results)
                .containsExactly(
                        new AddResult("j1", AddResult.Change.REPLACED), new AddResult("j3", AddResult.Change.ADDED));
        assertThat(dataOf("j1")).contains("second");
        assertThat(dataOf("j3")).contains("third");
        assertThat(put(job("j4", "fourth").unique(USER)).jobId()).isEqualTo("j3");
        assertThat(put(job("j4", "fourth").unique(Unique.by("user-8"))).jobId()).isEqualTo("j1");
    }

    @Test
    void aJobThatHasGivenItsKeyUpInTheSameBatchIsNotReplaced() {
        put(job("j1", "first").unique(USER));

        assertKeyWentOn(simulation.await(jobs.addAll(database, KEY_GOES_ON)));
    }

    @Test
    void aJobThatHasGivenItsKeyUpInTheSameTransactionIsNotReplaced() {
        put(job("j1", "first").unique(USER));

        assertKeyWentOn(simulation.await(database.runAsync(tx -> {
            List<CompletableFuture<AddResult>> added =
                    KEY_GOES_ON.stream().map(job -> jobs.add(tx, job)).toList();
            return added.get(0).thenCombine(added.get(1), List::of);
        })));
    }
}
