package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Feature A9: a job whose processor went silent is pending again; whose did not, is not. */
class ActivityMonitorContract extends JobsContract {

    @Test
    void aJobThatRunsWithoutARowInTheActivityIndexIsFoundAndPutBack() {
        accepted("j1", 1);
        commit(tx ->
                tx.clear(prefix.subspace(Tuple.from("activity", INDEX.name())).range()));

        awaitSilence(INDEX, List.of(subscribe("j1")));
    }

    @Test
    void aJobWhoseProcessorWentSilentIsPendingAgain() {
        Job<WorkData> lost = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        shortLeases(INDEX);
        node().maintenance().monitor(INDEX);
        JobEvent<WorkData> event = await(subscription.awaitEvent(LONG)).orElseThrow();
        longLeases(INDEX);

        assertThat(event.state()).isEqualTo(JobState.PENDING);
        assertThat(event.data()).contains(new WorkData(1));
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(failureOf(jobs.processor().update(database, lost)))
                .isInstanceOf(JobHaltedException.class)
                .isNotInstanceOf(JobAlreadyFinishedException.class)
                .hasMessageContaining("no heartbeat");
        assertThat(failureOf(jobs.processor().finish(database, lost, new WorkData(2))))
                .isInstanceOf(JobHaltedException.class);
        assertThat(stepOf("j1")).isEqualTo(1);

        Job<WorkData> again = await(node().processor().accept(INDEX)).orElseThrow();
        assertThat(again.data()).isEqualTo(new WorkData(1));
        assertThat(failureOf(jobs.processor().update(database, lost))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().resubmit(database, lost))).isInstanceOf(JobHaltedException.class);
        await(jobs.processor().finish(database, again));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJobThatIsHeardOfStaysWithItsProcessor() {
        Job<WorkData> alive = accepted("alive", 1);
        accepted("silent", 1);
        Subscription<WorkData> silent = subscribe("silent");

        await(jobs.types().setTypeTimeout(database, INDEX, Duration.ofSeconds(3)));
        node().maintenance().monitor(INDEX);
        Optional<JobEvent<WorkData>> lost = Optional.empty();
        while (lost.isEmpty()) {
            await(jobs.processor().update(database, alive));
            lost = await(silent.awaitEvent(JobState.PENDING, Duration.ofMillis(100)));
        }

        await(jobs.processor().finish(database, alive));
        assertThat(stateOf("alive")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void severalMonitorsPutAJobBackOnceWithItsTimeAndWithoutItsFlag() {
        addAt("j1", 1, NOON);
        Job<WorkData> lost = accept();
        Subscription<WorkData> subscription = subscribe("j1");
        await(jobs.processor().resubmit(database, lost));

        shortLeases(INDEX);
        node().maintenance().monitor(INDEX);
        node().maintenance().monitor(INDEX);
        awaitSilence(INDEX, List.of(subscription));
        Job<WorkData> again = accept();

        assertThat(again.scheduledTime()).contains(NOON);
        assertThat(again.isResubmitted()).isFalse();
        await(jobs.processor().finish(database, again));
        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void manyLostJobsAllComeBack() {
        addMany(250);
        CouchJobs leaving = node();
        List<Job<WorkData>> lost = new ArrayList<>();
        IntStream.range(0, 250)
                .mapToObj(i -> leaving.processor().accept(INDEX))
                .toList()
                .forEach(job -> lost.add(await(job).orElseThrow()));
        leaving.close();

        awaitSilence(INDEX, lost.stream().map(job -> subscribe(job.id())).toList());
        Set<String> back = new HashSet<>();
        IntStream.range(0, 250)
                .mapToObj(i -> jobs.processor().accept(INDEX))
                .toList()
                .forEach(job -> back.add(await(job).orElseThrow().id()));

        assertThat(back).hasSize(250);
        assertThat(failureOf(jobs.processor().finish(database, lost.get(0)))).isInstanceOf(JobHaltedException.class);
    }

    @Test
    void twoJobsUpdatedInOneTransactionAreBothWatchedOver() {
        Job<WorkData> j1 = accepted("j1", 1);
        Job<WorkData> j2 = accepted("j2", 1);
        Subscription<WorkData> first = subscribe("j1");
        Subscription<WorkData> second = subscribe("j2");

        commit(tx -> {
            await(jobs.processor().update(tx, j1));
            await(jobs.processor().update(tx, j2));
        });

        awaitSilence(INDEX, List.of(first, second));
    }

    @Test
    void aStaleActivityRowPutsNothingBackAndIsClearedAway() {
        StoredRows rows = new StoredRows(database, prefix);
        await(jobs.processor().finish(database, accepted("finished", 1)));
        Versionstamp first = Versionstamp.complete(new byte[10], 1);
        Versionstamp second = Versionstamp.complete(new byte[10], 2);
        Versionstamp third = Versionstamp.complete(new byte[10], 3);
        rows.put(Tuple.from("finished"), "activity", "index", first);
        rows.put(Tuple.from("gone"), "activity", "index", second);
        accepted("silent", 1);
        rows.put(Tuple.from("silent"), "activity", "index", third);
        Subscription<WorkData> silent = subscribe("silent");

        awaitSilence(INDEX, List.of(silent));

        assertThat(stateOf("finished")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("gone")).isEqualTo(JobState.NOT_FOUND);
        assertThat(rows.under("activity", "index")).isEmpty();
        assertThat(await(silent.awaitEvent(SHORTLY))).isEmpty();
    }

    @Test
    void whatAnUpdateLeavesBehindInTheTransactionOfItsFinishIsClearedAway() {
        Job<WorkData> job = accepted("j1", 1);
        commit(tx -> {
            await(jobs.processor().update(tx, job));
            await(jobs.processor().finish(tx, job));
        });
        accepted("later", 1);

        awaitSilence(INDEX, List.of(subscribe("later")));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(new StoredRows(database, prefix).under("activity", "index")).isEmpty();
    }

    @Test
    void anEarlierHolderHasNoSayAfterALaterOneWasLost() {
        Job<WorkData> earlier = accepted("j1", 1);
        await(jobs.processor().finish(database, earlier));
        accepted("j1", 2);
        awaitSilence(INDEX, List.of(subscribe("j1")));

        assertThat(failureOf(jobs.processor().resubmit(database, earlier, NOON)))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().finish(database, earlier)))
                .isInstanceOf(JobHaltedException.class)
                .isNotInstanceOf(JobAlreadyFinishedException.class);
        assertThat(scheduledTimeOf("j1")).isEmpty();
    }

    @Test
    void withoutATimeoutNoJobIsPutBack() {
        accepted("j1", 1);
        shortLeases(INDEX);
        await(jobs.types().clearTypeTimeout(database, INDEX));
        node().maintenance().monitor(INDEX);
        await(jobs.add(database, MAIL, "control", new WorkData(1)));
        await(jobs.processor().accept(MAIL));

        Subscription<WorkData> control = await(jobs.subscribe(database, MAIL, "control"));
        awaitSilence(MAIL, List.of(control));

        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }
}
