package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.Batches;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.DeadLetters;
import dev.couchjobs.Job;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobControl;
import dev.couchjobs.JobDetails;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobStatuses;
import dev.couchjobs.JobType;
import dev.couchjobs.JobTypes;
import dev.couchjobs.Limits;
import dev.couchjobs.Maintenance;
import dev.couchjobs.NewJob;
import dev.couchjobs.OtherDatabaseException;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Processor;
import dev.couchjobs.QuarantinedRows;
import dev.couchjobs.Rate;
import dev.couchjobs.Retention;
import dev.couchjobs.fdb.Databases;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors come one way: invalid arguments throw at the call, and all others through the future. */
class ErrorsContract extends JobsContract {
    private static final PageRequest PAGE = PageRequest.of(1);
    private static final JobType<WorkData, Integer> WITH_RESULT =
            JobType.of(INDEX.name(), WorkData.class, Integer.class);

    private Job<WorkData> claim;

    @BeforeEach
    void claim() {
        claim = accepted("claimed", 1);
    }

    /** A call of a verb with a job id, and a database, if it takes one. */
    private record Verb(String name, Call call) {
        interface Call {
            CompletableFuture<?> on(CouchJobs jobs, Database database, String id);
        }
    }

    private static List<Verb> verbsWithAnId() {
        return List.of(
                new Verb("add", (on, db, id) -> on.add(db, INDEX, id, new WorkData(1))),
                new Verb(
                        "add",
                        (on, db, id) ->
                                on.add(db, NewJob.of(INDEX, new WorkData(1)).id(id))),
                new Verb(
                        "addAll",
                        (on, db, id) -> on.addAll(
                                db, List.of(NewJob.of(INDEX, new WorkData(1)).id(id)))),
                new Verb("remove", (on, db, id) -> on.remove(db, INDEX, id)),
                new Verb("getJobData", (on, db, id) -> on.getJobData(db, INDEX, id)),
                new Verb("getJobState", (on, db, id) -> on.getJobState(db, INDEX, id)),
                new Verb("getJob", (on, db, id) -> on.getJob(db, INDEX, id)),
                new Verb("subscribe", (on, db, id) -> on.subscribe(db, INDEX, id)),
                new Verb("claim", (on, db, id) -> on.processor().claim(db, INDEX, id, new UUID(0, 0))),
                new Verb("claim", (on, db, id) -> on.processor().claim(db, new ClaimKey(INDEX, id, new UUID(0, 0)))),
                new Verb("withoutData", (on, db, id) -> on.details().withoutData(db, INDEX, id)),
                new Verb("why", (on, db, id) -> on.details().why(db, INDEX, id)),
                new Verb("attempts", (on, db, id) -> on.details().attempts(db, INDEX, id)),
                new Verb("waitsFor", (on, db, id) -> on.details().waitsFor(db, INDEX, id, PAGE)),
                new Verb("dependents", (on, db, id) -> on.details().dependents(db, INDEX, id, PAGE)),
                new Verb(
                        "dependencyStates",
                        (on, db, id) -> on.details().dependencyStates(db, INDEX, id, type -> true, PAGE)),
                new Verb(
                        "dependentStates",
                        (on, db, id) -> on.details().dependentStates(db, INDEX, id, type -> true, PAGE)),
                new Verb("entries", (on, db, id) -> on.details().entries(db, INDEX, id, 0, 1)),
                new Verb("lastCheckpoint", (on, db, id) -> on.details().lastCheckpoint(db, INDEX, id)),
                new Verb("progress", (on, db, id) -> on.details().progress(db, INDEX, id)),
                new Verb("retry", (on, db, id) -> on.deadLetters().retry(db, INDEX, id)),
                new Verb("cancel", (on, db, id) -> on.control().cancel(db, INDEX, id, "no reason")),
                new Verb("runNow", (on, db, id) -> on.control().runNow(db, INDEX, id)),
                new Verb("reschedule", (on, db, id) -> on.control().reschedule(db, INDEX, id, Instant.EPOCH)),
                new Verb("reprioritise", (on, db, id) -> on.control().reprioritise(db, INDEX, id, 1)));
    }

    private List<Verb> otherVerbs() {
        return List.of(
                new Verb("list", (on, db, id) -> on.list(db, INDEX, PAGE)),
                new Verb("list", (on, db, id) -> on.list(db, INDEX, JobState.PENDING, PAGE)),
                new Verb("listTagged", (on, db, id) -> on.listTagged(db, INDEX, "tag", PAGE)),
                new Verb("now", (on, db, id) -> on.changes().now(db)),
                new Verb("read", (on, db, id) -> on.changes().read(db, INDEX, JobChanges.OLDEST, 1)),
                new Verb("read", (on, db, id) -> on.changes().read(db, JobChanges.OLDEST, 1)),
                new Verb("open", (on, db, id) -> on.batches().open(db, Batch.of("batch"))),
                new Verb("seal", (on, db, id) -> on.batches().seal(db, "batch")),
                new Verb("get", (on, db, id) -> on.batches().get(db, "batch")),
                new Verb("remove", (on, db, id) -> on.batches().remove(db, "batch")),
                new Verb("counts", (on, db, id) -> on.counts(db, INDEX)),
                new Verb("counts", (on, db, id) -> on.statuses().counts(db, INDEX)),
                new Verb("list", (on, db, id) -> on.statuses().list(db, INDEX, JobStatus.WAITING, PAGE)),
                new Verb("drop", (on, db, id) -> on.statuses().drop(db, INDEX)),
                new Verb("setTypeTimeout", (on, db, id) -> on.types().setTypeTimeout(db, INDEX, LONG)),
                new Verb("getTypeTimeout", (on, db, id) -> on.types().getTypeTimeout(db, INDEX)),
                new Verb("clearTypeTimeout", (on, db, id) -> on.types().clearTypeTimeout(db, INDEX)),
                new Verb(
                        "setTypeRetention",
                        (on, db, id) -> on.types().setTypeRetention(db, INDEX, Retention.standard())),
                new Verb("getTypeRetention", (on, db, id) -> on.types().getTypeRetention(db, INDEX)),
                new Verb("clearTypeRetention", (on, db, id) -> on.types().clearTypeRetention(db, INDEX)),
                new Verb("getTypes", (on, db, id) -> on.types().getTypes(db)),
                new Verb("pause", (on, db, id) -> on.types().pause(db, INDEX, "no reason")),
                new Verb("resume", (on, db, id) -> on.types().resume(db, INDEX)),
                new Verb("getPause", (on, db, id) -> on.types().getPause(db, INDEX)),
                new Verb("set", (on, db, id) -> on.limits().set(db, INDEX, 1)),
                new Verb("set", (on, db, id) -> on.limits().set(db, INDEX, "key", 1)),
                new Verb("clear", (on, db, id) -> on.limits().clear(db, INDEX)),
                new Verb("clear", (on, db, id) -> on.limits().clear(db, INDEX, "key")),
                new Verb("get", (on, db, id) -> on.limits().get(db, INDEX, "key")),
                new Verb("pause", (on, db, id) -> on.limits().pause(db, INDEX, "key")),
                new Verb("resume", (on, db, id) -> on.limits().resume(db, INDEX, "key")),
                new Verb("pausedKeys", (on, db, id) -> on.limits().pausedKeys(db, INDEX, PAGE)),
                new Verb(
                        "setRate",
                        (on, db, id) -> on.limits().setRate(db, INDEX, "key", Rate.perWindow(1, Duration.ofHours(1)))),
                new Verb("clearRate", (on, db, id) -> on.limits().clearRate(db, INDEX, "key")),
                new Verb("setTotal", (on, db, id) -> on.limits().setTotal(db, INDEX, 1)),
                new Verb("clearTotal", (on, db, id) -> on.limits().clearTotal(db, INDEX)),
                new Verb(
                        "setRate",
                        (on, db, id) -> on.limits().setRate(db, INDEX, Rate.perWindow(1, Duration.ofHours(1)))),
                new Verb("clearRate", (on, db, id) -> on.limits().clearRate(db, INDEX)),
                new Verb("ofType", (on, db, id) -> on.limits().ofType(db, INDEX)),
                new Verb("setWeight", (on, db, id) -> on.limits().setWeight(db, INDEX, "key", 2)),
                new Verb("clearWeight", (on, db, id) -> on.limits().clearWeight(db, INDEX, "key")),
                new Verb("getWeight", (on, db, id) -> on.limits().getWeight(db, INDEX, "key")),
                new Verb("list", (on, db, id) -> on.deadLetters().list(db, INDEX, PAGE)),
                new Verb("list", (on, db, id) -> on.quarantine().list(db, INDEX, PAGE)),
                new Verb("clockSkew", (on, db, id) -> on.maintenance().clockSkew(db)),
                new Verb("update", (on, db, id) -> on.processor().update(db, claim)),
                new Verb("update", (on, db, id) -> on.processor().update(db, claim, new WorkData(2))),
                new Verb("updateAll", (on, db, id) -> on.processor().updateAll(db, List.of(claim))),
                new Verb(
                        "renewAll",
                        (on, db, id) -> on.processor().renewAll(db, List.of(new ClaimKey(INDEX, id, claim.lock())))),
                new Verb("release", (on, db, id) -> on.processor().release(db, claim)),
                new Verb("putBack", (on, db, id) -> on.processor().putBack(db, claim)),
                new Verb("finish", (on, db, id) -> on.processor().finish(db, claim)),
                new Verb(
                        "finishWithResult", (on, db, id) -> on.processor().finishWithResult(db, WITH_RESULT, claim, 1)),
                new Verb("fail", (on, db, id) -> on.processor().fail(db, claim, new Exception("failed"))),
                new Verb("snooze", (on, db, id) -> on.processor().snooze(db, claim, Duration.ZERO)),
                new Verb("cancel", (on, db, id) -> on.processor().cancel(db, claim, "no reason")),
                new Verb("resubmit", (on, db, id) -> on.processor().resubmit(db, claim, Instant.EPOCH)),
                new Verb("log", (on, db, id) -> on.processor().log(db, claim, "entry")),
                new Verb("checkpoint", (on, db, id) -> on.processor().checkpoint(db, claim, "checkpoint")),
                new Verb("progress", (on, db, id) -> on.processor().progress(db, claim, 1, 2, "text")));
    }

    /** Those that take no database. */
    private static List<Verb> verbsWithoutADatabase() {
        return List.of(
                new Verb("accept", (on, db, id) -> on.processor().accept(INDEX)),
                new Verb("await", (on, db, id) -> on.changes().await(INDEX, JobChanges.OLDEST, LONG)),
                new Verb("await", (on, db, id) -> on.changes().await(JobChanges.OLDEST, LONG)),
                new Verb("accept", (on, db, id) -> on.processor().accept(INDEX, 2, AcceptOptions.defaults())),
                new Verb("cancel", (on, db, id) -> on.batches().cancel("batch", "no reason")),
                new Verb("index", (on, db, id) -> on.statuses().index(INDEX)),
                new Verb("retryAll", (on, db, id) -> on.deadLetters().retryAll(INDEX)),
                new Verb("resultAsync", (on, db, id) -> on.resultAsync(WITH_RESULT, id, LONG)));
    }

    /** It takes the id of a quarantined row: see {@link QuarantineContract}. */
    private static final Set<String> TESTED_ELSEWHERE = Set.of("restore");

    @Test
    void everyVerbIsHere() {
        Set<String> listed = Stream.of(verbsWithAnId(), otherVerbs(), verbsWithoutADatabase())
                .flatMap(List::stream)
                .map(Verb::name)
                .collect(Collectors.toSet());

        assertThat(Stream.of(
                                CouchJobs.class,
                                Batches.class,
                                JobChanges.class,
                                JobStatuses.class,
                                Processor.class,
                                JobTypes.class,
                                JobControl.class,
                                Limits.class,
                                JobDetails.class,
                                DeadLetters.class,
                                QuarantinedRows.class,
                                Maintenance.class)
                        .flatMap(face -> Arrays.stream(face.getDeclaredMethods()))
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .filter(method -> method.getReturnType() == CompletableFuture.class)
                        .map(Method::getName)
                        .filter(name -> !TESTED_ELSEWHERE.contains(name)))
                .allSatisfy(name -> assertThat(listed).contains(name));
    }

    @Test
    void anIdThatCannotBeThrowsAtTheCall() {
        for (Verb verb : verbsWithAnId()) {
            for (String id : List.of("", "x".repeat(CouchJobs.JOB_ID_BYTES_MAX + 1))) {
                assertThatThrownBy(() -> verb.call.on(jobs, database, id))
                        .as(verb.name)
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThatThrownBy(() -> jobs.resultAsync(WITH_RESULT, "", LONG)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void otherArgumentsThatCannotBeThrowAtTheCall() {
        Processor processor = jobs.processor();

        assertThatThrownBy(() -> jobs.types().setTypeTimeout(database, INDEX, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        Retention fraction = Retention.of(Duration.ofMillis(1));
        assertThatThrownBy(() -> jobs.types().setTypeRetention(database, INDEX, fraction))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> processor.snooze(database, claim, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> processor.progress(database, claim, 3, 2, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        processor.finishWithResult(database, JobType.of("x", Integer.class, Integer.class), claim, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.details().entries(database, INDEX, "j1", -1, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.details().entries(database, INDEX, "j1", 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.resultAsync(WITH_RESULT, "j1", Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.list(database, INDEX, JobState.NOT_FOUND, PAGE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.quarantine().remove(database, INDEX, "no id of a row"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.quarantine().restore(database, INDEX, "no id of a row"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.atLeastVersion(database, Versionstamp.incomplete()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aClosedInstanceFailsThroughTheFuture() {
        CouchJobs closed = node();
        closed.close();

        Stream.of(verbsWithAnId(), otherVerbs(), verbsWithoutADatabase())
                .flatMap(List::stream)
                .forEach(verb -> assertThat(failureOf(verb.call.on(closed, database, "j1")))
                        .as(verb.name)
                        .isInstanceOf(CouchJobsClosedException.class));
    }

    @Test
    void anotherDatabaseFailsThroughTheFuture() {
        try (Database other = Databases.inMemory()) {
            Stream.of(verbsWithAnId(), otherVerbs())
                    .flatMap(List::stream)
                    .forEach(verb -> assertThat(failureOf(verb.call.on(jobs, other, "j1")))
                            .as(verb.name)
                            .isInstanceOf(OtherDatabaseException.class));
        }
        assertThat(stateOf("claimed")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aBlockingCallThrowsTheTypedCause() {
        assertThatThrownBy(() -> jobs.result(WITH_RESULT, "never added", LONG))
                .isExactlyInstanceOf(JobNotFoundException.class);
    }

    @Test
    void noVerbThrowsWhatTheDatabaseDecides() {
        await(jobs.remove(database, INDEX, "claimed"));

        for (Verb verb : otherVerbs()) {
            assertThatCode(() -> verb.call.on(jobs, database, "j1").handle((value, error) -> value))
                    .as(verb.name)
                    .doesNotThrowAnyException();
        }
    }
}
