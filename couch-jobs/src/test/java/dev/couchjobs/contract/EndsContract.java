package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.verbs.FinishTransaction.FinishRequest;
import dev.couchjobs.internal.verbs.FinishTransaction.FinishResult;
import dev.couchjobs.internal.views.JacksonCodec;
import dev.couchjobs.internal.views.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** How a worker ends claims, many of them in one transaction. */
class EndsContract extends JobsContract {
    static final Disposition DONE = new Disposition.Succeeded(Optional.empty());

    private FinishTransaction finishTransaction;
    private StoredRows rows;

    @BeforeEach
    void openEnds() {
        finishTransaction = finishTransaction(this, new SettableClock(NOON));
        rows = new StoredRows(database, prefix);
    }

    /** What a worker ends its claims with. */
    static FinishTransaction finishTransaction(JobsContract topic, SettableClock clock) {
        Environment system = Environment.system();
        Environment environment = new Environment(clock, system.scheduler(), system.random());
        return new FinishTransaction(new Instance(
                "worker",
                topic.database,
                environment,
                new AgreedClock(environment.clock()),
                new Keyspace(topic.prefix),
                new Transactions(
                        environment,
                        new Keyspace(topic.prefix),
                        Duration.ofSeconds(30),
                        TransactionLabel.tagged("ends", false)),
                new PayloadCodec(new JacksonCodec(JsonMapper.shared()))));
    }

    private List<FinishResult> endAll(FinishRequest... all) {
        return await(finishTransaction.endAll(database, List.of(all), List.of()));
    }

    private static JobRow rowAfter(FinishResult finishResult) {
        return Objects.requireNonNull(finishResult.after());
    }

    private static ClaimEnd claimEnd(FinishResult finishResult) {
        return Objects.requireNonNull(rowAfter(finishResult).claimEnd());
    }

    @Test
    void eachClaimEndsInItsOwnWay() {
        byte[] result = "42".getBytes(StandardCharsets.UTF_8);

        List<FinishResult> results = endAll(
                new FinishRequest(accepted("done", 1), new Disposition.Succeeded(Optional.of(result))),
                new FinishRequest(accepted("failed", 1), new Disposition.Failed("no", true)),
                new FinishRequest(accepted("failed for good", 1), new Disposition.Failed("never", false)),
                new FinishRequest(accepted("snoozed", 1), new Disposition.Snoozed(Duration.ofMinutes(5))),
                new FinishRequest(accepted("cancelled", 1), new Disposition.Cancelled("not wanted")),
                new FinishRequest(accepted("released", 1), Disposition.Released.AT_SHUTDOWN));

        assertThat(results).noneMatch(FinishResult::isLost);
        assertThat(results.subList(0, 5).stream().map(each -> claimEnd(each).how()))
                .containsExactly(
                        AttemptEnd.SUCCEEDED,
                        AttemptEnd.FAILED,
                        AttemptEnd.FAILED,
                        AttemptEnd.SNOOZED,
                        AttemptEnd.CANCELLED);
        assertThat(stateOf("done")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("failed")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("failed")).contains(NOON.plusSeconds(1));
        assertThat(stateOf("failed for good")).isEqualTo(JobState.FINISHED);
        assertThat(scheduledTimeOf("snoozed")).contains(NOON.plusSeconds(300));
        assertThat(stateOf("cancelled")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("released")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("released")).isEmpty();
        assertThat(rows.under("activity", "index")).isEmpty();
        assertThat(rows.under("dead", "index")).containsExactly(Tuple.from(NOON.toEpochMilli(), "failed for good"));
    }

    @Test
    void aJobThatIsToRunOnceMoreHasAllItsAttemptsBeforeItThoughItIsHandedBack() {
        endAll(new FinishRequest(accepted("j1", 1), new Disposition.Failed("no", true)));
        Job<WorkData> running = accept();
        add("j1", 2);

        endAll(new FinishRequest(running, Disposition.Released.AT_SHUTDOWN));

        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().failures())
                .isZero();
    }

    @Test
    void aLostClaimIsToldOfAndTheOthersEnd() {
        Job<WorkData> lost = accepted("lost", 1);
        Job<WorkData> finished = accepted("finished", 1);
        Job<WorkData> held = accepted("held", 1);
        await(jobs.remove(database, INDEX, "lost"));
        await(jobs.processor().finish(database, finished));

        List<FinishResult> results =
                endAll(new FinishRequest(lost, DONE), new FinishRequest(finished, DONE), new FinishRequest(held, DONE));

        assertThat(results.get(0).halt()).isExactlyInstanceOf(JobHaltedException.class);
        assertThat(results.get(1).halt()).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(results.get(2).isLost()).isFalse();
        assertThat(stateOf("held")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void ofTwoClaimsOnOneJobTheOneThatHoldsItEnds() {
        Job<WorkData> old = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));
        Job<WorkData> held = accepted("j1", 2);

        List<FinishResult> results =
                endAll(new FinishRequest(old, DONE), new FinishRequest(held, DONE), new FinishRequest(held, DONE));

        assertThat(results.get(0).halt()).isExactlyInstanceOf(JobHaltedException.class);
        assertThat(results.get(1).isLost()).isFalse();
        assertThat(results.get(2).halt()).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(all(database, INDEX)).hasSize(1);
    }

    @Test
    void inATransactionOfTheCallersALostClaimLetsNothingElseCommit() {
        Job<WorkData> lost = accepted("lost", 1);
        Job<WorkData> held = accepted("held", 1);
        await(jobs.remove(database, INDEX, "lost"));

        Throwable failure = failureOf(database.runAsync(tx -> {
            tx.set(key("effect"), new byte[0]);
            return finishTransaction.endAll(
                    tx, List.of(new FinishRequest(held, DONE), new FinishRequest(lost, DONE)), List.of());
        }));

        assertThat(failure).isInstanceOf(JobHaltedException.class);
        assertThat(isWritten("effect")).isFalse();
        assertThat(stateOf("held")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aClaimEndsTogetherWithWhatTheCallerWrites() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            tx.set(key("effect"), new byte[0]);
            var updated = jobs.processor()
                    .update(tx, job, new WorkData(7)); // not waited for: the end comes after it all the same
            await(finishTransaction.end(tx, new FinishRequest(job, DONE)));
            await(updated);
        });

        assertThat(isWritten("effect")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(7);
    }

    @Test
    void aRowOfTheActivityIndexThatStoodForAllOfThemGoesWithThem() {
        Job<WorkData> first = accepted("j1", 1);
        byte[] stale = rows.key("activity", "index", Versionstamp.complete(new byte[10], 7));
        rows.putBytes(stale, Tuple.from("j1", "j2").pack());

        await(finishTransaction.endAll(database, List.of(new FinishRequest(first, DONE)), List.of(stale)));

        assertThat(rows.under("activity", "index")).isEmpty();
    }

    @Test
    void claimsOnJobsOfSeveralTypesEndTogetherEachByItsOwnType() {
        JobType<WorkData, Void> once = JobType.of("once", WorkData.class).retry(RetryPolicy.never());
        JobType<WorkData, Void> unkept = JobType.of("unkept", WorkData.class).retention(Retention.of(Duration.ZERO));
        Job<WorkData> retried = accepted("j1", 1);
        Job<WorkData> failed = acceptedOf(once, "j1");
        Job<WorkData> removed = acceptedOf(unkept, "j1");
        Job<WorkData> lost = acceptedOf(unkept, "j2");
        await(jobs.remove(database, unkept, "j2"));
        Disposition failure = new Disposition.Failed("no", true);

        List<FinishResult> results = endAll(
                new FinishRequest(retried, failure),
                new FinishRequest(failed, failure),
                new FinishRequest(removed, DONE),
                new FinishRequest(lost, DONE));

        assertThat(results).extracting(FinishResult::isLost).containsExactly(false, false, false, true);
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(await(jobs.getJobState(database, once, "j1"))).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.getJobState(database, unkept, "j1"))).isEqualTo(JobState.NOT_FOUND);
    }

    private Job<WorkData> acceptedOf(JobType<WorkData, Void> type, String id) {
        await(jobs.add(database, type, id, new WorkData(1)));
        return await(jobs.processor().accept(type)).orElseThrow();
    }

    @Test
    void hundredsOfClaimsEndTogether() {
        addMany(300);
        List<FinishRequest> all = IntStream.range(0, 300)
                .mapToObj(i -> new FinishRequest(accept(), DONE))
                .toList();

        List<FinishResult> results = await(finishTransaction.endAll(database, all, List.of()));

        assertThat(results).hasSize(300).noneMatch(FinishResult::isLost);
        assertThat(rows.under("feed", "index")).hasSizeLessThan(300 + 300 + 300);
        assertThat(stateOf("j299")).isEqualTo(JobState.FINISHED);
    }
}
