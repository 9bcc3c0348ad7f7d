package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.WorkerInfo;
import dev.couchjobs.WorkerPause;
import dev.couchjobs.WorkerState;
import dev.couchjobs.Workers;
import dev.couchjobs.fdb.testing.Polling;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers are listed, paused and drained by their names, wherever they run. */
class WorkersContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final JobType<WorkData, Void> LETTER = JobType.of(MAIL.name(), WorkData.class);

    /** Which worker has run a job, by the id of the job. */
    private final Map<String, String> ranBy = new ConcurrentHashMap<>();

    @BeforeEach
    void forgetRuns() {
        ranBy.clear();
    }

    private Workers workers() {
        return jobs.workers();
    }

    private void pause(String name) {
        await(workers().pause(database, name));
    }

    private void resume(String name) {
        await(workers().resume(database, name));
    }

    private int drain(String name) {
        return await(workers().drain(database, name));
    }

    private List<WorkerInfo> list() {
        return await(workers().list(database, PageRequest.of(100))).items();
    }

    private List<String> pausedNames() {
        return await(workers().pauses(database, PageRequest.of(100))).items().stream()
                .map(WorkerPause::name)
                .toList();
    }

    /** Lists the workers until there is what a test expects. */
    private List<WorkerInfo> listWhen(Predicate<List<WorkerInfo>> expected) {
        while (true) {
            List<WorkerInfo> listed = list();
            if (expected.test(listed)) {
                return listed;
            }
            Polling.pause();
        }
    }

    private WorkerInfo when(String name, WorkerState state) {
        return only(
                name,
                listWhen(listed ->
                        listed.stream().anyMatch(worker -> worker.name().equals(name) && worker.state() == state)));
    }

    private static WorkerInfo only(String name, List<WorkerInfo> listed) {
        List<WorkerInfo> named =
                listed.stream().filter(worker -> worker.name().equals(name)).toList();
        assertThat(named).hasSize(1);
        return named.get(0);
    }

    /** A worker of another process that notes which jobs it runs. */
    private Worker start(String name) {
        return noting(node(), name).start();
    }

    private WorkerBuilder noting(CouchJobs node, String name) {
        return node.worker().name(name).process(WORK, job -> {
            ranBy.put(job.id(), name);
        });
    }

    private void runs(String jobId) {
        add(jobId, 1);
        jobs.result(WORK, jobId, LONG);
    }

    // Listings

    @Test
    void aWorkerIsListed() {
        try (Worker worker = node().worker()
                .name("mailers")
                .concurrency(7)
                .process(WORK, job -> {})
                .process(LETTER, job -> {})
                .start()) {
            assertThat(worker.name()).isEqualTo("mailers");
            runs("j1");

            WorkerInfo listed = only("mailers", list());

            assertThat(listed.types()).containsExactly("index", "mail");
            assertThat(listed.concurrency()).isEqualTo(7);
            assertThat(listed.state()).isEqualTo(WorkerState.RUNNING);
            assertThat(listed.isLive()).isTrue();
            assertThat(listed.id()).isNotEmpty();
            assertThat(listed.libraryVersion()).isNotEmpty();
            assertThat(listed.lastSeen()).isAfterOrEqualTo(listed.startedAt());
        }
    }

    @Test
    void aClosedWorkerIsNotListed() {
        Worker worker = start("a");
        runs("j1");
        assertThat(worker.ended()).isNotDone();

        worker.close();

        assertThat(worker.ended()).isDone();
        assertThat(list()).isEmpty();
    }

    @Test
    void aWorkerIsNamedLikeItsInstance() {
        CouchJobs named =
                CouchJobs.builder(database).subspace(prefix).name("api-7").build();
        try (named;
                Worker worker = named.worker().process(WORK, job -> {}).start()) {
            assertThat(worker.name()).isEqualTo("api-7");
        }
        try (CouchJobs unnamed = CouchJobs.builder(database).subspace(prefix).build();
                Worker worker = unnamed.worker().process(WORK, job -> {}).start()) {
            assertThat(worker.name()).contains("-" + ProcessHandle.current().pid());
        }
    }

    @Test
    void workersAreListedByNamePageByPage() {
        try (Worker first = start("b");
                Worker second = start("a");
                Worker third = start("a")) {
            assertThat(List.of(first.name(), second.name(), third.name())).containsExactly("b", "a", "a");
            listWhen(listed -> listed.size() == 3);

            Page<WorkerInfo> page = await(workers().list(database, PageRequest.of(2)));
            Page<WorkerInfo> rest = await(
                    workers().list(database, PageRequest.of(2).after(page.next().orElseThrow())));
            Page<WorkerInfo> reversed =
                    await(workers().list(database, PageRequest.of(1).newestFirst()));

            assertThat(page.items()).extracting(WorkerInfo::name).containsExactly("a", "a");
            assertThat(rest.items()).extracting(WorkerInfo::name).containsExactly("b");
            assertThat(rest.next()).isEmpty();
            assertThat(reversed.items()).extracting(WorkerInfo::name).containsExactly("b");
            assertThatThrownBy(() -> workers()
                            .pauses(
                                    database,
                                    PageRequest.of(2).after(page.next().orElseThrow())))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aKilledWorkerIsNotLiveAfterThreeMinutes() {
        SettableClock clock = new SettableClock(NOON);
        kill("a", clock);

        WorkerInfo atOnce = only(
                "a",
                await(node(clock).workers().list(database, PageRequest.of(9))).items());
        clock.advance(Duration.ofMinutes(3));
        WorkerInfo afterThreeMinutes = only(
                "a",
                await(node(clock).workers().list(database, PageRequest.of(9))).items());
        clock.advance(Duration.ofSeconds(1));
        WorkerInfo later = only(
                "a",
                await(node(clock).workers().list(database, PageRequest.of(9))).items());

        assertThat(atOnce.isLive()).isTrue();
        assertThat(afterThreeMinutes.isLive()).isTrue();
        assertThat(later.isLive()).isFalse();
        assertThat(later.lastSeen()).isEqualTo(NOON);
        assertThat(later.startedAt()).isEqualTo(NOON);
        assertThat(await(node(clock).workers().drain(database, "a"))).isZero();
    }

    /** Starts a worker whose process then dies. */
    private void kill(String name, InstantSource clock) {
        AtomicInteger transactionsLeft = new AtomicInteger(Integer.MAX_VALUE);
        Environment system = Environment.system();
        Database mortal = MortalDatabase.of(database, transactionsLeft);
        noting(node(mortal, new Environment(clock, system.scheduler(), system.random())), name)
                .start();
        listWhen(listed -> listed.stream().anyMatch(worker -> worker.name().equals(name)));
        transactionsLeft.set(0);
    }

    @Test
    void theRowsOfWorkersThatDiedADayAgoAreRemoved() {
        SettableClock clock = new SettableClock(NOON);
        kill("b", clock);
        kill("c", clock);
        pause("d");
        await(node(clock).workers().drain(database, "e"));
        clock.advance(Duration.ofHours(25));
        AtomicLong draws = new AtomicLong();
        RandomGenerator alwaysTakingTheFirst = draws::incrementAndGet; // so that each round looks
        Environment environment = new Environment(clock, Environment.system().scheduler(), alwaysTakingTheFirst);

        try (Worker worker = noting(node(environment), "a").start()) {
            assertThat(worker).isNotNull();
            List<WorkerInfo> left = listWhen(
                    listed -> listed.stream().noneMatch(each -> Set.of("b", "c").contains(each.name())));

            assertThat(left).extracting(WorkerInfo::name).containsExactly("a");
            assertThat(pausedNames()).containsExactly("d");
            assertThat(new StoredRows(database, prefix).under("worker_orders")).containsExactly(Tuple.from("d"));
        }
    }

    @Test
    void aDamagedRowHarmsOnlyItsListing() {
        StoredRows rows = new StoredRows(database, prefix);
        rows.putBytes(rows.key("workers", "a", "no UUID"), new byte[] {1, 2});
        rows.putBytes(rows.key("worker_orders", "a"), new byte[] {5, 0});
        try (Worker worker = start("a")) {
            assertThat(worker).isNotNull();
            runs("j1");

            assertThat(only("a", list()).state()).isEqualTo(WorkerState.RUNNING);
            assertThat(pausedNames()).isEmpty();
            pause("a");
            when("a", WorkerState.PAUSED);
            rows.putBytes(rows.key("worker_orders", "a"), new byte[] {5, 0});
            assertThat(drain("a")).isOne();
            await(worker.ended());
        }
    }

    // Pauses

    @Test
    void aPausedWorkerClaimsNothingUntilItIsResumed() {
        try (Worker worker = start("a")) {
            assertThat(worker).isNotNull();
            runs("j1");

            pause("a");
            when("a", WorkerState.PAUSED);
            add("j2", 1);

            assertThat(accept().id()).isEqualTo("j2");
            assertThat(ranBy).containsOnlyKeys("j1");
            add("j3", 1);
            resume("a");
            jobs.result(WORK, "j3", LONG);
            assertThat(ranBy).containsOnlyKeys("j1", "j3");
            when("a", WorkerState.RUNNING);
        }
    }

    @Test
    void theJobsGoToWorkersWithOtherNames() {
        try (Worker paused = start("a");
                Worker other = start("b")) {
            assertThat(List.of(paused, other)).hasSize(2);
            listWhen(listed -> listed.size() == 2);
            pause("a");
            when("a", WorkerState.PAUSED);

            for (int i = 0; i < 20; i++) {
                runs("j" + i);
            }

            assertThat(ranBy).hasSize(20).containsValue("b").doesNotContainValue("a");
        }
    }

    @Test
    void whatRunsEndsAndWhatWaitsForItsSlotGoesToOthers() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (Worker paused = node().worker()
                .name("a")
                .concurrency(1)
                .process(WORK, job -> {
                    ranBy.put(job.id(), "a");
                    if (job.id().equals("first")) {
                        begun.countDown();
                        Futures.await(released);
                    }
                })
                .start()) {
            assertThat(paused).isNotNull();
            for (String quick : List.of("q0", "q1", "q2", "q3")) { // so that the worker claims ahead
                runs(quick);
            }
            add("first", 1);
            Futures.await(begun);
            addMany(3);

            pause("a");
            WorkerInfo listed = when("a", WorkerState.PAUSED);
            try (Worker other = start("b")) {
                assertThat(other).isNotNull();
                List.of("j0", "j1", "j2").forEach(id -> jobs.result(WORK, id, LONG));
            }

            assertThat(listed.running()).isOne();
            assertThat(stateOf("first")).isEqualTo(JobState.RUNNING);
            released.countDown();
            jobs.result(WORK, "first", LONG);
            assertThat(ranBy).containsEntry("first", "a").containsEntry("j0", "b");
            assertThat(ranBy).containsEntry("j1", "b").containsEntry("j2", "b");
        }
    }

    @Test
    void aWorkerThatStartsUnderAPausedNameClaimsNothing() {
        pause("a");
        add("j1", 1);
        try (Worker worker = start("a")) {
            assertThat(worker).isNotNull();
            when("a", WorkerState.PAUSED);

            assertThat(ranBy).isEmpty();
            assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
            resume("a");
            jobs.result(WORK, "j1", LONG);
        }
    }

    @Test
    void aFurtherTypeOfAPausedWorkerWaitsToo() {
        pause("a");
        await(jobs.add(database, MAIL, "m1", new WorkData(1)));
        try (Worker worker = start("a")) {
            when("a", WorkerState.PAUSED);

            worker.process(LETTER, job -> {
                ranBy.put(job.id(), "a");
            });

            assertThat(await(jobs.processor().accept(MAIL)).orElseThrow().id()).isEqualTo("m1");
            await(jobs.add(database, MAIL, "m2", new WorkData(1)));
            resume("a");
            jobs.result(LETTER, "m2", LONG);
            assertThat(ranBy).containsOnlyKeys("m2");
        }
    }

    @Test
    void pausedNamesAreListedWithoutWorkers() {
        pause("b");
        pause("a");
        List<WorkerPause> before =
                await(workers().pauses(database, PageRequest.of(9))).items();
        pause("b");
        drain("c");

        assertThat(await(workers().pauses(database, PageRequest.of(9))).items())
                .isEqualTo(before)
                .extracting(WorkerPause::name)
                .containsExactly("a", "b");
        resume("a");
        resume("a");
        assertThat(pausedNames()).containsExactly("b");
    }

    @Test
    void aPauseTakesEffectWithTheCallersTransactionOnly() {
        try (Worker worker = start("a")) {
            assertThat(worker).isNotNull();
            runs("j1");
            try (Transaction tx = database.createTransaction()) {
                await(workers().pause(tx, "a"));
                assertThat(await(workers().pauses(tx, PageRequest.of(9))).items())
                        .hasSize(1);
                tx.cancel();
            }
            runs("j2");
            assertThat(pausedNames()).isEmpty();

            commit(tx -> {
                await(workers().pause(tx, "a"));
                tx.set(key("deploying"), new byte[0]);
            });

            when("a", WorkerState.PAUSED);
            assertThat(isWritten("deploying")).isTrue();
        }
    }

    @Test
    void aNameIsChecked() {
        for (String bad : List.of("", "x".repeat(201), "\uD800")) {
            assertThatThrownBy(() -> jobs.worker().name(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> workers().pause(database, bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> workers().resume(database, bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> workers().drain(database, bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    // Drains

    @Test
    void aDrainedWorkerEndsWhatRunsAndThenItself() {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> end = new CompletableFuture<>();
        Worker worker = node().worker()
                .name("a")
                .shutdownTimeout(Duration.ZERO)
                .handleAsync(WORK, job -> {
                    begun.countDown();
                    return end;
                })
                .start();
        add("j1", 1);
        Futures.await(begun);

        assertThat(drain("a")).isOne();

        assertThat(when("a", WorkerState.DRAINING).running()).isOne();
        add("j2", 1);
        assertThat(accept().id()).isEqualTo("j2");
        assertThat(worker.ended()).isNotDone();
        end.complete(null);
        await(worker.ended());
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(list()).isEmpty();
    }

    @Test
    void allWorkersWithTheNameAreDrainedAndNoneThatStartsLater() {
        Worker first = start("a");
        Worker second = start("a");
        Worker other = start("b");
        listWhen(listed -> listed.size() == 3);

        assertThat(drain("a")).isEqualTo(2);

        await(first.ended());
        await(second.ended());
        try (other;
                Worker later = start("a")) {
            listWhen(listed -> listed.size() == 2);
            assertThat(other.ended()).isNotDone();
            other.close();
            runs("j1");
            assertThat(ranBy).containsEntry("j1", "a");
            assertThat(drain("a")).isOne();
            await(later.ended());
        }
    }

    @Test
    void aPausedWorkerIsDrainedAndThePauseRemains() {
        Worker worker = start("a");
        pause("a");
        when("a", WorkerState.PAUSED);

        drain("a");

        await(worker.ended());
        assertThat(pausedNames()).containsExactly("a");
    }

    @Test
    void aWorkerThatStartsDuringADrainIsEitherCountedOrNotDrained() {
        for (int i = 0; i < 20; i++) {
            String name = "a" + i;
            String jobId = "started" + i;
            CompletableFuture<Integer> drained = workers().drain(database, name);
            try (Worker worker = start(name)) {
                int count = await(drained);
                if (count == 1) {
                    await(worker.ended());
                } else {
                    runs(jobId);
                    assertThat(ranBy).containsEntry(jobId, name);
                }
            }
        }
    }

    @Test
    void aWorkerWhoseRowsCannotBeWrittenRunsJobs() {
        AtomicInteger failures = new AtomicInteger(3);
        Database refusing = DatabaseProxies.to(
                Database.class, (self, method, arguments) -> refuseOrInvoke(failures, method, arguments));
        try (Worker worker = noting(node(refusing, Environment.system()), "a").start()) {
            assertThat(worker).isNotNull();
            runs("j1");
            assertThat(Optional.ofNullable(ranBy.get("j1"))).contains("a");
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private @Nullable Object refuseOrInvoke(AtomicInteger failures, Method method, @Nullable Object[] arguments)
            throws Throwable {
        return method.getName().equals("runAsync") && failures.getAndDecrement() > 0
                ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                : DatabaseProxies.invoke(database, method, arguments);
    }

    // Workers in other languages

    private static RemoteWorker remote(String name, UUID id) {
        return new RemoteWorker(
                name, id, "host-1", "python 1", List.of("mail"), 4, 2, false, Instant.parse("2027-01-31T08:00:00Z"));
    }

    private WorkerState report(RemoteWorker worker) {
        return await(workers().report(database, worker));
    }

    @Test
    void aReportedWorkerIsListedUntilItIsRemoved() {
        RemoteWorker worker = remote("mailers", new UUID(1, 2));

        assertThat(report(worker)).isEqualTo(WorkerState.RUNNING);

        WorkerInfo listed = only("mailers", list());
        assertThat(listed.id()).isEqualTo(worker.id().toString());
        assertThat(listed.host()).isEqualTo("host-1");
        assertThat(listed.libraryVersion()).isEqualTo("python 1");
        assertThat(listed.types()).containsExactly("mail");
        assertThat(listed.concurrency()).isEqualTo(4);
        assertThat(listed.running()).isEqualTo(2);
        assertThat(listed.startedAt()).isEqualTo(worker.startedAt());
        assertThat(listed.isLive()).isTrue();

        await(workers().remove(database, worker.name(), worker.id()));
        assertThat(list()).isEmpty();
    }

    @Test
    void aReportedWorkerLearnsOfAPause() {
        RemoteWorker worker = remote("mailers", new UUID(1, 2));
        pause("mailers");
        assertThat(report(worker)).isEqualTo(WorkerState.PAUSED);
        assertThat(only("mailers", list()).state()).isEqualTo(WorkerState.PAUSED);
        resume("mailers");
        assertThat(report(worker)).isEqualTo(WorkerState.RUNNING);
    }

    @Test
    void aDrainConcernsTheReportedWorkersThatThereAre() {
        RemoteWorker first = remote("mailers", new UUID(1, 2));
        report(first);
        assertThat(drain("mailers")).isEqualTo(1);
        RemoteWorker second = remote("mailers", new UUID(3, 4));

        assertThat(report(first)).isEqualTo(WorkerState.DRAINING);
        assertThat(report(second)).isEqualTo(WorkerState.RUNNING);
    }

    @Test
    void aTransactionThatReportsDoesNotCommitAfterAPause() {
        RemoteWorker worker = remote("mailers", new UUID(1, 2));
        report(worker);
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(workers().report(tx, worker))).isEqualTo(WorkerState.RUNNING);
            pause("mailers");
            assertThat(failureOf(tx.commit())).isInstanceOf(FDBException.class);
        }
    }
}
