package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.Environment;
import dev.couchjobs.JobProcessor;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Listeners receive what their instance does, and change nothing. */
class ListenersContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final NewJob<WorkData> JOB =
            NewJob.of(INDEX, new WorkData(1)).id("j1");

    /** Each test has its own: a report of the one before may be late. */
    private BlockingQueue<Object> events;

    private CouchJobs heard;

    /** Puts all events into a queue. */
    private record Recorder(BlockingQueue<Object> events) implements JobsListener {
        @Override
        public void added(Added event) {
            events.add(event);
        }

        @Override
        public void claimed(Claimed event) {
            events.add(event);
        }

        @Override
        public void started(Started event) {
            events.add(event);
        }

        @Override
        public void ended(Ended event) {
            events.add(event);
        }

        @Override
        public void lost(Lost event) {
            events.add(event);
        }

        @Override
        public void heartbeatsLate(HeartbeatsLate event) {
            events.add(event);
        }

        @Override
        public void expired(Expired event) {
            events.add(event);
        }

        @Override
        public void removed(Removed event) {
            events.add(event);
        }

        @Override
        public void transactionEnded(TransactionEnded event) {
            events.add(event);
        }
    }

    @BeforeEach
    void openHeard() {
        events = new LinkedBlockingQueue<>();
        heard = observedBy(new Recorder(events), Environment.system());
    }

    @AfterEach
    void closeHeard() {
        heard.close();
    }

    private CouchJobs observedBy(JobsListener listener, Environment environment) {
        return observedBy(listener, environment, database);
    }

    private CouchJobs observedBy(JobsListener listener, Environment environment, Database through) {
        return CouchJobs.builder(through)
                .subspace(prefix)
                .environment(environment)
                .maxClockSkew(Duration.ofDays(36_500))
                .listener(listener)
                .build();
    }

    /** {@return the next event of a kind; others before it are passed over} */
    private <E> E next(Class<E> kind) throws InterruptedException {
        while (true) {
            Object event = events.poll(LONG.toSeconds(), TimeUnit.SECONDS);
            assertThat(event).as("an event " + kind.getSimpleName()).isNotNull();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
        }
    }

    /** {@return the events of a kind until now} */
    private <E> List<E> all(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private void work(JobType<WorkData, Void> type, JobProcessor<WorkData> handler) {
        var unused = heard.worker().process(type, handler).start();
    }

    @Test
    void addedJobsAreReportedOncePerTypeAndDuplicatesNotAtAll() {
        await(heard.add(database, JOB));
        await(heard.addAll(
                database,
                List.of(
                        JOB,
                        NewJob.of(INDEX, new WorkData(2)),
                        NewJob.of(INDEX, new WorkData(3)),
                        NewJob.of(MAIL, new WorkData(4)))));

        assertThat(all(JobsListener.Added.class))
                .containsExactly(
                        new JobsListener.Added("index", 1),
                        new JobsListener.Added("index", 2),
                        new JobsListener.Added("mail", 1));
    }

    @Test
    void anAttemptIsReportedFromItsClaimToItsEnd() throws InterruptedException {
        await(heard.add(database, JOB));
        work(WORK, job -> {});

        assertThat(next(JobsListener.Claimed.class)).isEqualTo(new JobsListener.Claimed("index", 1));
        assertThat(next(JobsListener.Started.class)).isEqualTo(new JobsListener.Started("index", "j1", 1));
        JobsListener.Ended ended = next(JobsListener.Ended.class);
        assertThat(ended.jobId()).isEqualTo("j1");
        assertThat(ended.how()).isEqualTo(AttemptEnd.SUCCEEDED);
        assertThat(ended.isRetried()).isFalse();
        assertThat(ended.took()).isBetween(Duration.ZERO, LONG);
        assertThat(ended.error()).isEmpty();
    }

    @Test
    void aFailureSaysWhetherAnotherAttemptFollows() throws InterruptedException {
        await(heard.add(database, JOB));
        work(WORK.retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO)), job -> {
            throw new IllegalStateException("bad luck");
        });

        List<JobsListener.Started> starts = new ArrayList<>();
        List<JobsListener.Ended> ends = new ArrayList<>();
        while (starts.size() < 2 || ends.size() < 2) { // an attempt may start before the end of the last is reported
            Object event = next(Object.class);
            if (event instanceof JobsListener.Started started) {
                starts.add(started);
            } else if (event instanceof JobsListener.Ended ended) {
                ends.add(ended);
            }
        }

        assertThat(starts).extracting(JobsListener.Started::attempt).containsExactly(1, 2);
        assertThat(ends).extracting(JobsListener.Ended::attempt).containsExactly(1, 2);
        assertThat(ends).extracting(JobsListener.Ended::how).containsOnly(AttemptEnd.FAILED);
        assertThat(ends).extracting(JobsListener.Ended::isRetried).containsExactly(true, false);
        assertThat(ends.get(0).error().orElseThrow()).contains("bad luck");
    }

    @Test
    void snoozedAndCancelledAttemptsAreReportedAsSuch() throws InterruptedException {
        await(heard.add(database, JOB));
        await(heard.add(database, JOB.id("j2")));
        work(WORK, job -> {
            if (job.id().equals("j1")) {
                job.snooze(Duration.ofHours(1));
            } else {
                job.cancel("no need");
            }
        });

        List<JobsListener.Ended> ends = List.of(next(JobsListener.Ended.class), next(JobsListener.Ended.class));
        assertThat(ends)
                .extracting(JobsListener.Ended::how)
                .containsExactlyInAnyOrder(AttemptEnd.SNOOZED, AttemptEnd.CANCELLED);
        assertThat(ends).filteredOn(end -> end.how() == AttemptEnd.CANCELLED).allSatisfy(end -> {
            assertThat(end.error()).contains("no need");
            assertThat(end.isRetried()).isFalse();
        });
    }

    @Test
    void anEndInATransactionOfTheHandlersIsReportedOnce() throws InterruptedException {
        await(heard.add(database, JOB));
        JobType<WorkData, Boolean> answered = JobType.of(INDEX.name(), WorkData.class, Boolean.class);
        CountDownLatch returned = new CountDownLatch(1);
        var unused = heard.worker()
                .handle(answered, job -> {
                    boolean answer = job.finish(tx -> true);
                    returned.countDown();
                    return answer;
                })
                .start();

        assertThat(next(JobsListener.Ended.class).how()).isEqualTo(AttemptEnd.SUCCEEDED);
        returned.await();
        await(heard.add(database, JOB.id("j2"))); // the next attempt begins after the handler has returned
        assertThat(next(JobsListener.Ended.class).jobId()).isEqualTo("j2");
        assertThat(all(JobsListener.Lost.class)).isEmpty();
    }

    @Test
    void aCancelledJobIsLostToItsWorker() throws InterruptedException {
        await(heard.add(database, JOB));
        CountDownLatch halted = new CountDownLatch(1);
        work(WORK, job -> {
            halted.await();
        });
        next(JobsListener.Started.class);

        await(jobs.control().cancel(database, INDEX, "j1", "no need"));

        assertThat(next(JobsListener.Lost.class)).isEqualTo(new JobsListener.Lost("index", "j1", 1, true, true));
    }

    @Test
    void heartbeatsThatAreLateAreReported() throws InterruptedException {
        await(jobs.types().setTypeTimeout(database, INDEX, Duration.ofSeconds(3)));
        SettableClock clock = new SettableClock(NOON);
        Environment system = Environment.system();
        CountDownLatch end = new CountDownLatch(1);
        try (CouchJobs slow =
                observedBy(new Recorder(events), new Environment(clock, system.scheduler(), system.random()))) {
            await(slow.add(database, JOB));
            var unused = slow.worker()
                    .process(WORK, job -> {
                        end.await();
                    })
                    .start();
            next(JobsListener.Started.class);
            nextHeartbeat();
            clock.advance(Duration.ofMillis(1_500));
            events.clear();
            for (int i = 0; i < 3; i++) { // the lease is renewed after the event; a start is stored beside the rounds
                nextHeartbeat();
            }

            clock.advance(Duration.ofMillis(1_501));

            JobsListener.HeartbeatsLate late = next(JobsListener.HeartbeatsLate.class);
            assertThat(late.type()).isEqualTo("index");
            assertThat(late.jobs()).isEqualTo(1);
            assertThat(late.silentFor()).isEqualTo(Duration.ofMillis(1_501));
            assertThat(late.timeout()).isEqualTo(Duration.ofSeconds(3));
            end.countDown();
        }
    }

    /** Waits for a heartbeat, before which none is late. */
    private void nextHeartbeat() throws InterruptedException {
        Object event = next(Object.class);
        while (!(event instanceof JobsListener.TransactionEnded ended
                && ended.purpose().equals("heartbeat"))) {
            assertThat(event).isNotInstanceOf(JobsListener.HeartbeatsLate.class);
            event = next(Object.class);
        }
    }

    @Test
    void claimsThatExpireAreReportedByTheMonitor() throws InterruptedException {
        shortLeases(INDEX);
        await(heard.add(database, JOB));
        assertThat(await(heard.processor().accept(INDEX))).isPresent(); // and this instance monitors the type

        assertThat(next(JobsListener.Expired.class)).isEqualTo(new JobsListener.Expired("index", 1));
    }

    @Test
    void jobsThatAreRemovedAfterTheirRetentionAreReported() throws InterruptedException {
        JobType<WorkData, Void> kept = WORK.retention(Retention.of(Duration.ofHours(1)));
        await(heard.add(database, NewJob.of(kept, new WorkData(1)).id("j1")));
        await(heard.processor()
                .finish(database, await(heard.processor().accept(kept)).orElseThrow()));
        Environment system = Environment.system();
        Environment later =
                new Environment(() -> Instant.now().plus(Duration.ofHours(2)), system.scheduler(), system.random());

        try (CouchJobs sweeping = observedBy(new Recorder(events), later)) {
            sweeping.maintenance().monitor(kept);

            assertThat(next(JobsListener.Removed.class)).isEqualTo(new JobsListener.Removed("index", 1));
        }
    }

    @Test
    void transactionsOfTheLibraryAreReportedWithTheirPurpose() {
        await(heard.add(database, JOB));

        JobsListener.TransactionEnded added = all(JobsListener.TransactionEnded.class).stream()
                .filter(transaction -> transaction.purpose().equals("add"))
                .findFirst()
                .orElseThrow();
        assertThat(added.type()).isEqualTo("index");
        assertThat(added.tries()).isPositive();
        assertThat(added.took()).isBetween(Duration.ZERO, LONG);
        assertThat(added.error()).isEmpty();
    }

    /** {@return the database, on which the first commits end in an error} */
    private Database failing(int commits, int errorCode) {
        AtomicInteger left = new AtomicInteger(commits);
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(database, method, arguments);
            return result instanceof Transaction created
                    ? DatabaseProxies.committing(
                            created,
                            (tx, commit, none) -> left.getAndDecrement() > 0
                                    ? CompletableFuture.failedFuture(new FDBException("injected", errorCode))
                                    : DatabaseProxies.invoke(tx, commit, none))
                    : result;
        });
    }

    @ParameterizedTest
    @CsvSource({"1020, 2", "1021, 0"})
    void conflictsAreToldFromOtherErrors(int errorCode, int conflicts) {
        Database disturbed = failing(2, errorCode);
        try (CouchJobs unlucky = observedBy(new Recorder(events), Environment.system(), disturbed)) {
            await(unlucky.add(disturbed, JOB));

            assertThat(all(JobsListener.TransactionEnded.class))
                    .filteredOn(transaction -> transaction.purpose().equals("add"))
                    .singleElement()
                    .satisfies(add -> {
                        assertThat(add.tries()).isEqualTo(3);
                        assertThat(add.conflicts()).isEqualTo(conflicts);
                        assertThat(add.error()).isEmpty();
                    });
        }
    }

    @Test
    void aTransactionThatFailsIsReportedWithItsError() {
        NewJob<WorkData> waiting = JOB.after(Dependency.on(INDEX, "unknown"));

        assertThatThrownBy(() -> await(heard.add(database, waiting)))
                .hasCauseInstanceOf(DependencyNotFoundException.class);

        assertThat(all(JobsListener.TransactionEnded.class))
                .anySatisfy(transaction ->
                        assertThat(transaction.error()).containsInstanceOf(DependencyNotFoundException.class));
        assertThat(all(JobsListener.Added.class)).isEmpty();
    }

    @Test
    void aTransactionOfTheCallersIsNotReported() {
        commit(tx -> await(heard.add(tx, JOB)));

        assertThat(all(JobsListener.TransactionEnded.class)).isEmpty();
        assertThat(all(JobsListener.Added.class)).isNotEmpty();
    }

    @Test
    void aListenerThatThrowsKeepsNoJobFromRunningAndNoOtherListenerFromHearing() throws InterruptedException {
        JobsListener throwing = new JobsListener() {
            @Override
            public void claimed(Claimed event) {
                throw new IllegalStateException("claimed");
            }

            @Override
            public void started(Started event) {
                throw new IllegalStateException("started");
            }

            @Override
            public void ended(Ended event) {
                throw new IllegalStateException("ended");
            }

            @Override
            public void transactionEnded(TransactionEnded event) {
                throw new IllegalStateException("transaction");
            }
        };
        try (CouchJobs both = CouchJobs.builder(database)
                .subspace(prefix)
                .listener(throwing)
                .listener(new Recorder(events))
                .build()) {
            await(both.add(database, JOB));
            var unused = both.worker().process(WORK, job -> {}).start();

            assertThat(next(JobsListener.Ended.class).how()).isEqualTo(AttemptEnd.SUCCEEDED);
        }
    }
}
