package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.RepeatedCallException;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call that is repeated claims nothing: the transaction that claims decides. */
class CallsThatClaimOnceTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final byte[] KEY = Tuple.from("calls", "worker").pack();
    private static final AcceptOptions AT_ONCE = AcceptOptions.nonBlocking();
    private static final AcceptOptions WAIT = AcceptOptions.defaults();

    private Simulation simulation = Simulation.builder(1).calm().build();

    @AfterEach
    void close() {
        simulation.close();
    }

    private CouchJobs process() {
        SimulatedProcess process = simulation.process("process");
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    private CouchJobs processWithJobs() {
        CouchJobs jobs = process();
        Database database = simulation.database();
        simulation.await(jobs.types().setTypeTimeout(database, MAIL, TIMEOUT));
        for (String id : List.of("a", "b", "c")) {
            simulation.await(jobs.add(database, MAIL, id, "data"));
        }
        return jobs;
    }

    private static CompletableFuture<List<Job<String>>> claim(CouchJobs jobs, String call, AcceptOptions options) {
        return jobs.processor().accept(MAIL, 1, options.once(KEY, call));
    }

    /** {@return the ids of the jobs that have ever run, as often as they have been claimed} */
    private List<String> claimed(CouchJobs jobs) {
        return simulation
                .await(jobs.changes().read(simulation.database(), MAIL, JobChanges.OLDEST, 100))
                .changes()
                .stream()
                .filter(change -> change.state() == JobState.RUNNING)
                .map(JobChange::jobId)
                .toList();
    }

    private Tuple row() {
        return Tuple.fromBytes(simulation.await(simulation.database().readAsync(tx -> tx.get(KEY))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRepeatedCallFailsAndClaimsNothing(boolean elsewhere) {
        CouchJobs jobs = processWithJobs();
        CouchJobs second = elsewhere ? process() : jobs;
        Job<String> first = simulation.await(claim(jobs, "r1", WAIT)).get(0);

        assertThatThrownBy(() -> simulation.await(claim(second, "r1", WAIT)))
                .hasCauseInstanceOf(RepeatedCallException.class);

        assertThat(claimed(jobs)).containsExactly(first.id());
        assertThat(row().getString(0)).isEqualTo("r1");
        assertThat(row().getNestedTuple(2).getItems()).containsExactly("mail", first.id(), first.lock());
    }

    @Test
    void anotherCallClaims() {
        CouchJobs jobs = processWithJobs();
        simulation.await(claim(jobs, "r1", WAIT));

        assertThat(simulation.await(claim(jobs, "r2", WAIT))).hasSize(1);
        assertThat(row().getString(0)).isEqualTo("r2");
    }

    @Test
    void callsThatWaitTogetherClaimForEachIdOnceAndForOthersAsEver() {
        CouchJobs jobs = process();
        Database database = simulation.database();
        simulation.await(jobs.types().setTypeTimeout(database, MAIL, TIMEOUT));
        List<CompletableFuture<List<Job<String>>>> same =
                List.of(claim(jobs, "r1", WAIT), claim(jobs, "r1", WAIT), claim(jobs, "r1", WAIT));
        CompletableFuture<List<Job<String>>> other = jobs.processor().accept(MAIL, 1, WAIT);
        simulation.advance(Duration.ofSeconds(1));

        simulation.await(jobs.add(database, MAIL, "a", "data"));
        simulation.await(jobs.add(database, MAIL, "b", "data"));
        simulation.await(jobs.add(database, MAIL, "c", "data"));
        simulation.advance(Duration.ofSeconds(1));

        assertThat(same).allMatch(CompletableFuture::isDone);
        assertThat(same.stream().filter(call -> !call.isCompletedExceptionally()))
                .hasSize(1);
        assertThat(other.join()).hasSize(1);
        assertThat(claimed(jobs)).hasSize(2);
    }

    @Test
    void severalJobsOfACallAreInItsRow() {
        CouchJobs jobs = processWithJobs();
        CompletableFuture<List<Job<String>>> other = jobs.processor().accept(MAIL, 1, AT_ONCE);
        List<Job<String>> claims = simulation.await(jobs.processor().accept(MAIL, 2, AT_ONCE.once(KEY, "r1")));

        assertThat(claims).hasSize(2);
        List<UUID> locks = new ArrayList<>();
        for (int i = 2; i < row().size(); i++) {
            locks.add(row().getNestedTuple(i).getUUID(2));
        }
        assertThat(locks)
                .containsExactlyElementsOf(claims.stream().map(Job::lock).toList());
        assertThat(simulation.await(other)).hasSize(1);
    }

    /** All calls may fail then, and the row has the claim. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aCallClaimsOnceAlsoIfItsCommitsHaveUnknownResultsAndTwoProcessesMakeIt(long seed) {
        simulation.close();
        simulation = Simulation.builder(seed)
                .calm()
                .with(Fault.UNKNOWN_COMMITTED, 0.3)
                .with(Fault.UNKNOWN_NOT_COMMITTED, 0.2)
                .with(Fault.COMMIT_DELAY, 0.5)
                .build();
        CouchJobs jobs = processWithJobs();
        CouchJobs second = process();
        List<CompletableFuture<List<Job<String>>>> calls =
                List.of(claim(jobs, "r1", WAIT), claim(second, "r1", WAIT), claim(jobs, "r1", WAIT));

        CompletableFuture<?> all = CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
        simulation.await(all.handle((done, error) -> calls));

        assertThat(claimed(jobs)).hasSize(1);
        assertThat(row().getNestedTuple(2).getString(1)).isEqualTo(claimed(jobs).get(0));
        assertThat(calls.stream().filter(call -> !call.isCompletedExceptionally()))
                .hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void aRowThatIsNoneOfACallIsReplaced() {
        CouchJobs jobs = processWithJobs();
        simulation.await(simulation.database().runAsync(tx -> {
            tx.set(KEY, new byte[] {0x7F, 1});
            return CompletableFuture.completedFuture(KEY);
        }));

        assertThat(simulation.await(claim(jobs, "r1", WAIT))).hasSize(1);
    }

    @Test
    void aKeyThatNoRowCanHaveIsRefused() {
        for (byte[] key : List.of(new byte[0], new byte[10_001], new byte[] {(byte) 0xFF, 1})) {
            assertThatThrownBy(() -> AT_ONCE.once(key, "r1")).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
