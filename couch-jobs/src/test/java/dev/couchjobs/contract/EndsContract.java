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
import dev.couchjobs.internal.data.Ending;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.verbs.Ends;
import dev.couchjobs.internal.verbs.Ends.End;
import dev.couchjobs.internal.verbs.Ends.Ended;
import dev.couchjobs.internal.verbs.How;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Label;
import dev.couchjobs.internal.verbs.PayloadCodec;
import dev.couchjobs.internal.verbs.Transactions;
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
public abstract class EndsContract extends JobsContract {
    static final How DONE = new How.Succeeded(Optional.empty());

    private Ends ends;
    private Rows rows;

    @BeforeEach
    void openEnds() {
        ends = ends(this, new SettableClock(NOON));
        rows = new Rows(database, prefix);
    }

    /** What a worker ends its claims with. */
    static Ends ends(JobsContract topic, SettableClock clock) {
        Environment system = Environment.system();
        Environment environment = new Environment(clock, system.scheduler(), system.random());
        return new Ends(new Instance(
                "worker",
                topic.database,
                environment,
                new Keyspace(topic.prefix),
                new Transactions(
                        environment, new Keyspace(topic.prefix), Duration.ofSeconds(30), Label.tagged("ends", false)),
                new PayloadCodec(JsonMapper.shared())));
    }

    private List<Ended> endAll(End... all) {
        return await(ends.endAll(database, INDEX, List.of(all), List.of()));
    }

    private static JobRow rowAfter(Ended ended) {
        return Objects.requireNonNull(ended.after());
    }

    private static Ending ending(Ended ended) {
        return Objects.requireNonNull(rowAfter(ended).ending());
    }

    @Test
    void eachClaimEndsInItsOwnWay() {
        byte[] result = "42".getBytes(StandardCharsets.UTF_8);

        List<Ended> ended = endAll(
                new End(accepted("done", 1), new How.Succeeded(Optional.of(result))),
                new End(accepted("failed", 1), new How.Failed("no", true)),
                new End(accepted("failed for good", 1), new How.Failed("never", false)),
                new End(accepted("snoozed", 1), new How.Snoozed(Duration.ofMinutes(5))),
                new End(accepted("cancelled", 1), new How.Cancelled("not wanted")),
                new End(accepted("handed back", 1), new How.HandedBack(true)));

        assertThat(ended).noneMatch(Ended::isLost);
        assertThat(ended.subList(0, 5).stream().map(each -> ending(each).how()))
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
        assertThat(stateOf("handed back")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("handed back")).isEmpty();
        assertThat(rows.under("activity", "index")).isEmpty();
        assertThat(rows.under("dead", "index")).containsExactly(Tuple.from(NOON.toEpochMilli(), "failed for good"));
    }

    @Test
    void aJobThatIsToRunOnceMoreHasAllItsAttemptsBeforeItThoughItIsHandedBack() {
        endAll(new End(accepted("j1", 1), new How.Failed("no", true)));
        Job<Work> running = accept();
        add("j1", 2);

        endAll(new End(running, new How.HandedBack(true)));

        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().failures())
                .isZero();
    }

    @Test
    void aLostClaimIsToldOfAndTheOthersEnd() {
        Job<Work> lost = accepted("lost", 1);
        Job<Work> finished = accepted("finished", 1);
        Job<Work> held = accepted("held", 1);
        await(jobs.remove(database, INDEX, "lost"));
        await(jobs.finish(database, finished));

        List<Ended> ended = endAll(new End(lost, DONE), new End(finished, DONE), new End(held, DONE));

        assertThat(ended.get(0).halt()).isExactlyInstanceOf(JobHaltedException.class);
        assertThat(ended.get(1).halt()).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(ended.get(2).isLost()).isFalse();
        assertThat(stateOf("held")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void ofTwoClaimsOnOneJobTheOneThatHoldsItEnds() {
        Job<Work> old = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));
        Job<Work> held = accepted("j1", 2);

        List<Ended> ended = endAll(new End(old, DONE), new End(held, DONE), new End(held, DONE));

        assertThat(ended.get(0).halt()).isExactlyInstanceOf(JobHaltedException.class);
        assertThat(ended.get(1).isLost()).isFalse();
        assertThat(ended.get(2).halt()).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(all(database, INDEX)).hasSize(1);
    }

    @Test
    void inATransactionOfTheCallersALostClaimLetsNothingElseCommit() {
        Job<Work> lost = accepted("lost", 1);
        Job<Work> held = accepted("held", 1);
        await(jobs.remove(database, INDEX, "lost"));

        Throwable failure = failureOf(database.runAsync(tx -> {
            tx.set(key("effect"), new byte[0]);
            return ends.endAll(tx, INDEX, List.of(new End(held, DONE), new End(lost, DONE)), List.of());
        }));

        assertThat(failure).isInstanceOf(JobHaltedException.class);
        assertThat(isWritten("effect")).isFalse();
        assertThat(stateOf("held")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aClaimEndsTogetherWithWhatTheCallerWrites() {
        Job<Work> job = accepted("j1", 1);

        commit(tx -> {
            tx.set(key("effect"), new byte[0]);
            var updated = jobs.update(tx, job, new Work(7)); // not waited for: the end comes after it all the same
            await(ends.end(tx, INDEX, job, DONE));
            await(updated);
        });

        assertThat(isWritten("effect")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(7);
    }

    @Test
    void aRowOfTheActivityIndexThatStoodForAllOfThemGoesWithThem() {
        Job<Work> first = accepted("j1", 1);
        Versionstamp stale = Versionstamp.complete(new byte[10], 7);
        rows.put(Tuple.from("j1", "j2"), "activity", "index", stale);

        await(ends.endAll(database, INDEX, List.of(new End(first, DONE)), List.of(stale)));

        assertThat(rows.under("activity", "index")).isEmpty();
    }

    @Test
    void hundredsOfClaimsEndTogether() {
        addMany(300);
        List<End> all =
                IntStream.range(0, 300).mapToObj(i -> new End(accept(), DONE)).toList();

        List<Ended> ended = await(ends.endAll(database, INDEX, all, List.of()));

        assertThat(ended).hasSize(300).noneMatch(Ended::isLost);
        assertThat(rows.under("feed", "index")).hasSizeLessThan(300 + 300 + 300);
        assertThat(stateOf("j299")).isEqualTo(JobState.FINISHED);
    }
}
