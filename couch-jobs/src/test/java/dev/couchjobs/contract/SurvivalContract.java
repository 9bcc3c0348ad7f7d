package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Background work survives failed transactions and callers who misuse it, and goes on where it was.
 */
class SurvivalContract extends JobsContract {
    private DisturbedDatabase way;
    private CouchJobs remote;

    @BeforeEach
    void openRemoteNode() {
        way = new DisturbedDatabase(database);
        remote = node(way.asDatabase(), Environment.system());
    }

    private Optional<Job<WorkData>> acceptRemotely() {
        return await(remote.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    @Test
    void anAcceptorSurvivesFailures() {
        CompletableFuture<Optional<Job<WorkData>>> waiting = remote.processor().accept(INDEX);
        assertThat(acceptRemotely()).isEmpty();

        CompletableFuture<Void> felt = way.cut(1);
        add("j1", 1);
        await(felt);
        assertThat(failureOf(waiting)).isInstanceOf(FDBException.class);
        way.mend();

        assertThat(await(remote.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aNotifierSurvivesFailuresAndMissesNothing() {
        add("j1", 1);
        Subscription<WorkData> subscription = await(remote.subscribe(database, INDEX, "j1"));
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = subscription.awaitEvent(LONG);

        CompletableFuture<Void> felt = way.cut(3);
        await(jobs.processor().finish(database, accept(), new WorkData(2)));
        await(felt);
        assertThat(waiting).isNotDone();
        way.mend();

        assertThat(await(waiting).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aSubscriberWhoComesWhileTheFeedIsBeingReadMissesNothing() {
        add("j1", 1);
        Subscription<WorkData> early = await(remote.subscribe(database, INDEX, "j1"));
        Job<WorkData> job = accept();
        assertThat(await(early.awaitEvent(JobState.RUNNING, LONG))).isPresent();
        try (Transaction old = database.createTransaction()) {
            await(old.getReadVersion());
            CompletableFuture<Void> release = new CompletableFuture<>();
            CompletableFuture<Void> held = way.hold(release);
            await(jobs.processor().update(database, job, new WorkData(2)));
            await(held);

            Subscription<WorkData> late = await(remote.subscribe(old, INDEX, "j1"));
            way.mend();
            release.complete(null);
            await(jobs.processor().finish(database, job));

            assertThat(late.data()).contains(new WorkData(1));
            assertThat(await(late.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            assertThat(await(late.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.FINISHED);
        }
    }

    @Test
    void anActivityMonitorSurvivesFailures() {
        shortLeases(INDEX);
        try (CouchJobs leaving = node()) {
            add("j1", 1);
            await(leaving.processor().accept(INDEX));
        }

        CompletableFuture<Void> felt = way.cut(3);
        remote.maintenance().monitor(INDEX);
        await(felt);
        way.mend();

        assertThat(await(remote.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aSubscriberOfAnUnknownTypeDisturbsNobody() {
        add("j1", 1);
        Subscription<WorkData> known = subscribe("j1");
        Subscription<WorkData> unknown =
                await(jobs.subscribe(database, JobType.of("no such type", WorkData.class), "j1"));
        unknown.close();

        accept();

        assertThat(await(known.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aSubscriptionThatCouchJobsDidNotMakeIsRefusedAndTheOthersGoOn() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = subscription.awaitEvent(LONG);
        List<Subscription<WorkData>> withStranger = List.of(subscription, new Stranger());

        assertThatThrownBy(() -> Subscription.<WorkData>awaitAny(withStranger, LONG))
                .isInstanceOf(IllegalArgumentException.class);
        accept();

        assertThat(await(waiting).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void subscriptionsOfTwoInstancesAreRefused() {
        add("j1", 1);
        List<Subscription<WorkData>> ofTwo = List.of(subscribe("j1"), await(remote.subscribe(database, INDEX, "j1")));

        assertThatThrownBy(() -> Subscription.<WorkData>awaitAny(ofTwo, LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("instance");
    }

    @Test
    void aCallersContinuationThatThrowsDisturbsNobody() {
        CompletableFuture<Void> thrower = jobs.processor().accept(INDEX).thenAccept(job -> {
            throw new IllegalStateException("the caller's own mistake");
        });
        add("j1", 1);
        assertThat(failureOf(thrower)).isInstanceOf(IllegalStateException.class);

        add("j2", 1);
        assertThat(await(jobs.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j2");
    }

    @Test
    void aCallersContinuationMayBlock() {
        CompletableFuture<JobState> finished = jobs.processor().accept(INDEX).thenApply(job -> {
            await(jobs.processor().finish(database, job.orElseThrow()));
            return stateOf("j1");
        });

        add("j1", 1);

        assertThat(await(finished)).isEqualTo(JobState.FINISHED);
    }

    private record Stranger() implements Subscription<WorkData> {
        @Override
        public JobType<WorkData, ?> type() {
            return INDEX;
        }

        @Override
        public String jobId() {
            return "j1";
        }

        @Override
        public JobState state() {
            return JobState.PENDING;
        }

        @Override
        public Optional<WorkData> data() {
            return Optional.empty();
        }

        @Override
        public boolean isEnded() {
            return false;
        }

        @Override
        public CompletableFuture<Optional<JobEvent<WorkData>>> awaitEvent(Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Optional<JobEvent<WorkData>>> awaitEvent(JobState state, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
