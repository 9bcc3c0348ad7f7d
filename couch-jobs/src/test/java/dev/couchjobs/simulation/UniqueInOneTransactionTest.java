package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import dev.couchjobs.faults.SlowStage;
import dev.couchjobs.faults.Stage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A transaction adds jobs with unique keys and changes the jobs that have these keys, without waiting in between. Each
 * read takes a while.
 */
class UniqueInOneTransactionTest {
    private static final JobType<String, Void> INDEX = JobType.of("index", String.class);
    private static final Unique USER = Unique.by("user-7");
    private static final Unique OTHER = Unique.by("user-8");

    private final Stage stage = new SlowStage();
    private final Database database = stage.database();
    private final CouchJobs jobs =
            CouchJobs.builder(database).environment(stage.environment()).build();

    @AfterEach
    void end() {
        stage.close();
    }

    private static NewJob<String> job(String id, String data) {
        return NewJob.of(INDEX, data).id(id);
    }

    private AddResult put(NewJob<String> job) {
        return stage.await(jobs.add(database, job));
    }

    private Optional<String> dataOf(String id) {
        return stage.await(jobs.getJobData(database, INDEX, id));
    }

    private void assertResults(List<AddResult> results, AddResult.Change first, AddResult.Change second) {
        assertThat(results).extracting(AddResult::jobId).containsExactly("j1", "j2");
        assertThat(results).extracting(AddResult::change).containsExactly(first, second);
    }

    private void assertKeysOf(String user7, String user8) {
        assertThat(put(job("j9", "ninth").unique(USER)).jobId()).isEqualTo(user7);
        assertThat(put(job("j9", "ninth").unique(OTHER)).jobId()).isEqualTo(user8);
    }

    private static List<NewJob<String>> jobsOfWhichOneGivesItsKeyUp() {
        return List.of(job("j1", "second").unique(OTHER), job("j2", "third").unique(USER.replacing()));
    }

    private void assertBothAreKept(List<AddResult> results) {
        assertResults(results, AddResult.Change.REPLACED, AddResult.Change.ADDED);
        assertThat(dataOf("j1")).contains("second");
        assertThat(dataOf("j2")).contains("third");
        assertKeysOf("j2", "j1");
    }

    @Test
    void aJobThatHasGivenItsKeyUpInTheSameBatchIsNotReplaced() {
        put(job("j1", "first").unique(USER));

        List<AddResult> results = stage.await(jobs.addAll(database, jobsOfWhichOneGivesItsKeyUp()));

        assertBothAreKept(results);
    }

    @Test
    void aJobThatHasGivenItsKeyUpInTheSameTransactionIsNotReplaced() {
        put(job("j1", "first").unique(USER));

        List<AddResult> results = stage.await(database.runAsync(tx -> {
            List<CompletableFuture<AddResult>> added = jobsOfWhichOneGivesItsKeyUp().stream()
                    .map(job -> jobs.add(tx, job))
                    .toList();
            return added.get(0).thenCombine(added.get(1), List::of);
        }));

        assertBothAreKept(results);
    }

    @Test
    void aRunningJobTakesNoKeyInABatch() {
        put(job("j1", "first").unique(USER));
        assertThat(stage.await(jobs.processor().accept(INDEX))).isPresent();

        List<AddResult> results = stage.await(jobs.addAll(
                database,
                List.of(job("j1", "second").unique(OTHER), job("j2", "third").unique(OTHER))));

        assertResults(results, AddResult.Change.RESUBMITTED, AddResult.Change.ADDED);
        assertKeysOf("j1", "j2");
    }

    @Test
    void aJobThatIsLeftAloneTakesNoKeyInABatch() {
        put(job("j1", "first"));

        List<AddResult> results = stage.await(jobs.addAll(
                database,
                List.of(
                        job("j1", "second").ifAbsent().unique(OTHER),
                        job("j2", "third").unique(OTHER))));

        assertResults(results, AddResult.Change.UNCHANGED, AddResult.Change.ADDED);
        assertThat(dataOf("j1")).contains("first");
        assertThat(dataOf("j2")).contains("third");
    }

    @Test
    void aJobThatIsGivenTwiceHasItsLastKeyInABatch() {
        List<AddResult> results = stage.await(jobs.addAll(
                database,
                List.of(
                        job("j1", "first").unique(USER),
                        job("j1", "second").unique(OTHER),
                        job("j2", "third").unique(USER))));

        assertThat(results)
                .containsExactly(
                        new AddResult("j1", AddResult.Change.ADDED, AddResult.GivenData.STORED),
                        new AddResult("j1", AddResult.Change.REPLACED, AddResult.GivenData.STORED),
                        new AddResult("j2", AddResult.Change.ADDED, AddResult.GivenData.STORED));
        assertKeysOf("j2", "j1");
    }

    /** {@return the claim of a new job with the first key, which has failed for good} */
    private Job<String> deadLetter(String id) {
        put(job(id, "first").unique(USER));
        Job<String> claim = stage.await(jobs.processor().accept(INDEX)).orElseThrow();
        stage.await(jobs.processor().fail(database, claim, "for good", false));
        return claim;
    }

    private NewJob<String> another() {
        return job("j2", "second").unique(USER);
    }

    private long waiting() {
        return stage.await(jobs.counts(database, INDEX)).pending();
    }

    @Test
    void aRetriedDeadLetterAndAnAddedJobDoNotShareAKey() {
        deadLetter("j1");

        boolean isRetried = stage.await(database.runAsync(tx -> {
            CompletableFuture<AddResult> added = jobs.add(tx, another());
            return jobs.deadLetters().retry(tx, INDEX, "j1").thenCombine(added, (retried, result) -> retried);
        }));

        assertThat(waiting()).isEqualTo(1);
        assertThat(put(job("j9", "ninth").unique(USER)).jobId()).isEqualTo(isRetried ? "j1" : "j2");
    }

    @Test
    void aRetriedDeadLetterAndAJobAddedAfterItDoNotShareAKey() {
        deadLetter("j1");

        AddResult added = stage.await(database.runAsync(tx -> {
            CompletableFuture<Boolean> retried = jobs.deadLetters().retry(tx, INDEX, "j1");
            return jobs.add(tx, another()).thenCombine(retried, (result, isRetried) -> result);
        }));

        assertThat(waiting()).isEqualTo(1);
        assertThat(put(job("j9", "ninth").unique(USER)).jobId()).isEqualTo(added.jobId());
    }

    @Test
    void aRetriedDeadLetterAndJobsAddedTogetherDoNotShareAKey() {
        deadLetter("j1");

        List<AddResult> added = stage.await(database.runAsync(tx -> {
            CompletableFuture<Boolean> retried = jobs.deadLetters().retry(tx, INDEX, "j1");
            return jobs.addAll(tx, List.of(another(), job("j3", "third").unique(USER)))
                    .thenCombine(retried, (results, isRetried) -> results);
        }));

        assertThat(waiting()).isEqualTo(1);
        assertThat(added)
                .extracting(AddResult::jobId)
                .containsOnly(put(job("j9", "ninth").unique(USER)).jobId());
    }

    @Test
    void aResubmittedJobAndAnAddedJobDoNotShareAKey() {
        Job<String> ended = deadLetter("j1");

        stage.await(database.runAsync(tx -> {
            CompletableFuture<AddResult> added = jobs.add(tx, another());
            return jobs.processor().resubmit(tx, ended).thenCombine(added, (again, result) -> result);
        }));

        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void twoRetriedDeadLettersDoNotShareAKey() {
        deadLetter("j1");
        deadLetter("j2");

        List<Boolean> retried = stage.await(database.runAsync(tx -> {
            CompletableFuture<Boolean> first = jobs.deadLetters().retry(tx, INDEX, "j1");
            return jobs.deadLetters().retry(tx, INDEX, "j2").thenCombine(first, (two, one) -> List.of(one, two));
        }));

        assertThat(retried).containsExactlyInAnyOrder(true, false);
        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void aJobThatIsRemovedAfterItsAdditionIsGone() {
        boolean isRemoved = stage.await(database.runAsync(tx -> {
            CompletableFuture<AddResult> added = jobs.add(tx, job("j1", "first").unique(USER));
            return jobs.remove(tx, INDEX, "j1").thenCombine(added, (removed, result) -> removed);
        }));

        assertThat(isRemoved).isTrue();
        assertThat(dataOf("j1")).isEmpty();
    }

    @Test
    void aJobThatIsRemovedAfterItsAdditionByAddAllIsGone() {
        boolean isRemoved = stage.await(database.runAsync(tx -> {
            CompletableFuture<?> added =
                    jobs.addAll(tx, List.of(job("j1", "first").unique(USER)));
            return jobs.remove(tx, INDEX, "j1").thenCombine(added, (removed, result) -> removed);
        }));

        assertThat(isRemoved).isTrue();
        assertThat(dataOf("j1")).isEmpty();
    }

    @Test
    void aJobWaitsForAUniqueJobThatIsAddedWithIt() {
        stage.await(jobs.addAll(
                database,
                List.of(job("j1", "first").unique(USER), job("j2", "second").after(INDEX, "j1"))));

        assertThat(stage.await(jobs.getJob(database, INDEX, "j2")).orElseThrow().isBlocked())
                .isTrue();
    }

    @Test
    void jobsThatAreAddedWithTheKeysOfEachOtherReplaceEachOther() {
        put(job("j1", "first").unique(USER));
        put(job("j2", "second").unique(OTHER));

        List<AddResult> results = stage.await(database.runAsync(tx -> {
            CompletableFuture<AddResult> added = jobs.add(tx, job("j1", "third").unique(OTHER.replacing()));
            return jobs.add(tx, job("j2", "fourth").unique(USER.replacing()))
                    .thenCombine(added, (two, one) -> List.of(one, two));
        }));

        assertThat(results).extracting(AddResult::jobId).containsExactly("j2", "j1");
        assertKeysOf("j1", "j2");
    }

    @Test
    void aUniqueJobMayWaitForAJobThatTheTransactionAddsLater() {
        put(job("j1", "first"));

        List<AddResult> results = stage.await(database.runAsync(tx -> {
            CompletableFuture<AddResult> waiting =
                    jobs.add(tx, job("j2", "second").unique(USER).after(INDEX, "j1"));
            return jobs.add(tx, job("j1", "third").unique(USER.replacing()))
                    .thenCombine(waiting, (two, one) -> List.of(one, two));
        }));

        assertThat(results)
                .containsExactly(
                        new AddResult("j2", AddResult.Change.ADDED, AddResult.GivenData.STORED),
                        new AddResult("j2", AddResult.Change.REPLACED, AddResult.GivenData.STORED));
    }

    /** The two additions of the job with the key have the same time. */
    @Test
    void aJobThatIsAddedAgainHasItsKeyAlthoughAnotherGaveItUp() {
        stage.await(database.runAsync(tx -> CompletableFuture.allOf(
                jobs.addAll(
                        tx,
                        List.of(
                                job("j2", "first")
                                        .after(Dependency.on(INDEX, "j1").ifUnsuccessful(DependencyPolicy.FAIL)),
                                job("j1", "first").unique(USER))),
                jobs.add(tx, job("j2", "second").unique(USER)),
                jobs.control().cancel(tx, INDEX, "j1", "a mistake"),
                jobs.addAll(
                        tx,
                        List.of(
                                job("j1", "second").unique(USER),
                                job("j3", "first").unique(OTHER))))));

        AddResult added = put(job("j9", "ninth").unique(USER));

        assertThat(added.change()).isEqualTo(AddResult.Change.UNCHANGED);
    }
}
