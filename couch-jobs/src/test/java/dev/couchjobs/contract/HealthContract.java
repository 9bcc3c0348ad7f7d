package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Health;
import dev.couchjobs.Health.DueJob;
import dev.couchjobs.HealthCheck;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.internal.quarantine.QuarantinedKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A check finds what keeps jobs from running, and says it in a bounded time. */
class HealthContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final long VERSIONS_PER_SECOND = 1_000_000;

    private StoredRows rows;
    private SettableClock clock;
    private CouchJobs checked;

    @BeforeEach
    void openChecked() {
        rows = new StoredRows(database, prefix);
        clock = new SettableClock(NOON);
        checked = node(clock);
    }

    private Health check() {
        return await(checked.health().check());
    }

    private static void assertDegraded(Health health, String... inReason) {
        assertThat(health.reasons()).hasSize(1);
        assertThat(health.reasons().get(0)).contains(inReason);
        assertThat(health.status()).isEqualTo(HealthStatus.DEGRADED);
    }

    private static void assertUp(Health health) {
        assertThat(health.reasons()).isEmpty();
        assertThat(health.status()).isEqualTo(HealthStatus.UP);
    }

    private long version() {
        return await(database.readAsync(tx -> tx.getReadVersion()));
    }

    private static Versionstamp stamp(long version) {
        return Versionstamp.complete(
                ByteBuffer.allocate(Versionstamp.LENGTH - 2).putLong(version).array());
    }

    @Test
    void anInstanceWithoutJobsIsHealthy() {
        Health health = check();

        assertUp(health);
        assertThat(health.readVersionTook()).isPresent();
        assertThat(health.due()).isEmpty();
        assertThat(health.typesDue()).isZero();
        assertThat(health.typesInUse()).isZero();
        assertThat(health.unmonitored()).isEmpty();
        assertThat(health.isComplete()).isTrue();
        assertThat(health.clockSkew()).map(ClockSkew::isExceeded).contains(false);
        assertThat(health.quarantined()).isZero();
        assertThat(health.liveWorkers()).isZero();
    }

    // Due jobs

    @Test
    void aJobIsDueFromItsScheduledTimeOn() {
        addAt("j1", 1, NOON.plusSeconds(10));
        assertThat(check().due()).isEmpty();

        clock.advance(Duration.ofSeconds(310));
        assertThat(check().due()).containsExactly(new DueJob("index", "j1", Duration.ofMinutes(5)));
        assertUp(check());

        clock.advance(Duration.ofSeconds(1));
        assertDegraded(check(), "j1", "index", "5 min 1 s", "no worker is live");
    }

    @Test
    void aJobWithAScheduledTimeIsFoundBehindOthers() {
        add("j1", 1);
        addAt("j2", 1, NOON.minusSeconds(40));

        assertThat(check().due()).containsExactly(new DueJob("index", "j2", Duration.ofSeconds(40)));
    }

    @Test
    void theJobsThatAreDueForLongestComeFirst() {
        addAt("j1", 1, NOON);
        await(jobs.add(database, NewJob.of(MAIL, new WorkData(1)).id("m1").at(NOON.minusSeconds(100))));

        Health health = check();

        assertThat(health.due())
                .containsExactly(
                        new DueJob("mail", "m1", Duration.ofSeconds(100)), new DueJob("index", "j1", Duration.ZERO));
        assertThat(health.typesDue()).isEqualTo(2);
        assertThat(await(checked.health().dueAtMost(Duration.ofSeconds(99)).check())
                        .status())
                .isEqualTo(HealthStatus.DEGRADED);
        assertThat(await(checked.health().types(List.of(INDEX)).check()).due())
                .extracting(DueJob::jobId)
                .containsExactly("j1");
    }

    @Test
    void theAgeOfAJobFollowsFromItsPriorityOrItsId() {
        await(checked.add(database, NewJob.of(INDEX, new WorkData(1)).id("j1").priority(3)));
        clock.advance(Duration.ofSeconds(5));
        String made = await(checked.add(database, MAIL, new WorkData(1))).jobId();
        clock.advance(Duration.ofSeconds(20));

        assertThat(check().due())
                .containsExactly(
                        new DueJob("index", "j1", Duration.ofSeconds(25)),
                        new DueJob("mail", made, Duration.ofSeconds(20)));
    }

    @Test
    void otherJobsAreDueSinceTheyWereFirstSeen() {
        add("j1", 1);
        assertThat(check().due()).containsExactly(new DueJob("index", "j1", Duration.ZERO));
        clock.advance(Duration.ofSeconds(7));
        assertThat(check().due()).containsExactly(new DueJob("index", "j1", Duration.ofSeconds(7)));

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(check().due()).isEmpty();
    }

    @Test
    void aJobThatRunsAgainIsNotDueSinceBeforeItsClaim() {
        addAt("j1", 1, NOON);
        clock.advance(Duration.ofHours(1));
        Job<WorkData> job = await(checked.processor().accept(INDEX)).orElseThrow();
        clock.advance(Duration.ofHours(1));
        Job<WorkData> again = await(checked.processor().resubmit(database, job, NOON));
        await(checked.processor().finish(database, again));

        assertThat(check().due()).containsExactly(new DueJob("index", "j1", Duration.ZERO));
    }

    @Test
    void aPausedTypeIsNoReason() {
        addAt("j1", 1, NOON.minus(Duration.ofHours(1)));
        await(jobs.types().pause(database, INDEX, "on purpose"));

        Health health = check();

        assertUp(health);
        assertThat(health.due()).hasSize(1);
    }

    @Test
    void ofManyTypesTheLongestDueAreReported() {
        List<JobType<WorkData, ?>> types = IntStream.range(0, HealthCheck.TYPES_MAX)
                .<JobType<WorkData, ?>>mapToObj(i -> JobType.of("many-" + i, WorkData.class))
                .toList();
        await(jobs.addAll(
                database,
                types.stream()
                        .map(type -> NewJob.of(type, new WorkData(1)).id("j").at(NOON))
                        .toList()));
        clock.advance(Duration.ofSeconds(1));
        addAt("older", 1, NOON.minusSeconds(1));

        HealthCheck patient = checked.health().timeout(Duration.ofMinutes(1));
        Health health = await(patient.check());

        assertThat(health.isComplete()).isFalse();
        assertThat(health.due()).hasSize(Health.DUE_MAX);
        assertThat(health.typesDue()).isEqualTo(HealthCheck.TYPES_MAX);
        assertThat(health.due().get(0)).isEqualTo(new DueJob("index", "older", Duration.ofSeconds(2)));
        assertThat(await(patient.types(types).check()).isComplete()).isTrue();
        assertThatThrownBy(() -> checked.health()
                        .types(IntStream.rangeClosed(0, HealthCheck.TYPES_MAX)
                                .mapToObj(i -> JobType.of("many-" + i, WorkData.class))
                                .toList()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
    }

    // Monitors

    @Test
    void aRunningJobNeedsAMonitorThatRenewsItsLease() {
        accepted("j1", 1);
        CouchJobs afterwards = node(clock);
        jobs.close(); // its monitor ends
        long timeout = Duration.ofMinutes(10).toSeconds();

        rows.put(Tuple.from(7, timeout, version()), "in_use", "index");
        assertUp(await(afterwards.health().check()));

        rows.put(Tuple.from(7, timeout, version() - (timeout + 1) * VERSIONS_PER_SECOND), "in_use", "index");
        Health health = await(afterwards.health().check());
        assertDegraded(health, "index", "maintenance().monitor");
        assertThat(health.unmonitored()).containsExactly("index");
        assertThat(health.typesInUse()).isEqualTo(1);
        assertUp(await(afterwards.health().types(List.of(MAIL)).check()));

        commit(tx ->
                tx.clear(prefix.subspace(Tuple.from("couch_jobs", "activity")).range()));
        assertUp(await(afterwards.health().check()));
    }

    // Quarantine, clocks, workers

    @Test
    void rowsInQuarantineAreCounted() {
        addMany(3);
        add("x", 1);
        rows.putBytes(rows.key("data", "index", "j0"), new byte[] {0x7F});
        rows.putBytes(rows.key("data", "index", "j1"), new byte[] {0x7F});
        assertThat(accept().id()).isEqualTo("j2");
        assertThat(accept().id()).isEqualTo("x");

        Health health = check();

        assertDegraded(health, "2 undecodable rows", "quarantine()");
        assertThat(health.quarantined()).isEqualTo(2);
        assertUp(await(checked.health().quarantinedAtMost(2).check()));
    }

    /** Rows of all tables, and one whose key cannot be decoded. */
    static Stream<String> tablesOfRows() {
        return Stream.concat(
                Stream.of(QuarantinedKind.values()).flatMap(kind -> kind.tables().stream()), Stream.of("later", ""));
    }

    @ParameterizedTest
    @MethodSource("tablesOfRows")
    void eachKindOfRowInQuarantineIsNamedWithItsRemedy(String table) {
        byte[] key = table.isEmpty()
                ? new byte[] {0x7F}
                : Tuple.from(table, "index", "j0").pack();
        commit(tx -> tx.set(
                rows.key("quarantine", "index", 0, stamp(0)),
                Tuple.from(key, "why").pack()));

        assertDegraded(
                check(),
                "1 undecodable rows",
                "A row of " + (table.isEmpty() ? "without a name" : table) + " (type index) is "
                        + QuarantinedKind.ofTable(table).remedy() + ".");
    }

    @Test
    void kindsOfRowsInQuarantineAreNamedOnce() {
        List<String> tables = List.of("dependents", "data", "waits_for", "dependents");
        commit(tx -> {
            for (String type : List.of("index", "other")) {
                for (int i = 0; i < tables.size(); i++) {
                    tx.set(
                            rows.key("quarantine", type, 0, stamp(i)),
                            Tuple.from(Tuple.from(tables.get(i), type, "j").pack(), "why")
                                    .pack());
                }
            }
        });

        assertDegraded(
                check(),
                "8 undecodable rows",
                "them. A row of data (type index and 1 others) is " + QuarantinedKind.JOB.remedy()
                        + ". A row of dependents (type index and 1 others), waits_for (type index and 1 others) is "
                        + QuarantinedKind.LINK.remedy() + ".");
    }

    @Test
    void manyRowsInQuarantineAreCountedUpToAHundred() {
        commit(tx -> IntStream.range(0, 150)
                .forEach(i -> tx.set(
                        rows.key("quarantine", "index", 0, stamp(i)),
                        Tuple.from("row", "why").pack())));

        assertDegraded(check(), "100 or more undecodable rows");
        assertUp(await(checked.health().quarantinedAtMost(100).check()));
    }

    @ParameterizedTest
    @CsvSource({"-1, ahead of", "1, behind"})
    void aClockThatIsWrongIsAReason(int hoursOfOther, String relation) {
        rows.put(
                Tuple.from(
                        stamp(version()),
                        NOON.plus(Duration.ofHours(hoursOfOther)).toEpochMilli(),
                        "other"),
                "clocks",
                3);
        try (CouchJobs wrong = CouchJobs.builder(database)
                .subspace(prefix)
                .environment(new Environment(
                        clock,
                        Environment.system().scheduler(),
                        Environment.system().random()))
                .build()) {
            assertDegraded(await(wrong.health().check()), "clock of this process is ", relation, "more than 1 min");
        }
    }

    @Test
    void workersAreCounted() {
        CouchJobs processor = node();
        CountDownLatch ran = new CountDownLatch(1);
        try (Worker worker =
                processor.worker().process(WORK, job -> ran.countDown()).start()) {
            assertThat(worker.name()).isNotEmpty();
            Health health = await(jobs.health().check());
            while (health.liveWorkers() == 0) {
                health = await(jobs.health().check());
            }
            assertThat(health.liveWorkers()).isEqualTo(1);
            assertUp(health);
        }
    }

    // What cannot be checked

    @Test
    void aDatabaseThatDoesNotAnswerIsDown() {
        DisturbedDatabase disturbed = new DisturbedDatabase(database);
        CouchJobs cutOff = node(disturbed.asDatabase(), Environment.system());
        CompletableFuture<Void> release = new CompletableFuture<>();
        var unused = disturbed.hold(release);

        Health health = await(cutOff.health().timeout(Duration.ofMillis(200)).check());
        release.complete(null);

        assertThat(health.status()).isEqualTo(HealthStatus.DOWN);
        assertThat(health.reasons())
                .singleElement()
                .asString()
                .containsAnyOf("did not commit a write within 200 ms", "did not answer within 200 ms");
        assertThat(health.isComplete()).isFalse();
    }

    @Test
    void aDatabaseThatFailsIsDown() {
        DisturbedDatabase disturbed = new DisturbedDatabase(database);
        CouchJobs cutOff = node(disturbed.asDatabase(), Environment.system());
        var unused = disturbed.cut(1);

        Health health = await(cutOff.health().check());

        assertThat(health.status()).isEqualTo(HealthStatus.DOWN);
        assertThat(health.reasons()).singleElement().asString().contains("did not answer", "is available");
        disturbed.mend();
        assertUp(await(cutOff.health().check()));
    }

    /** A full disk, of which reads know nothing. */
    @Test
    void aDatabaseThatReadsAndCommitsNothingIsDown() {
        FDBException full = new FDBException("io_error", 1510);
        full.initCause(new IOException("No space left on device"));
        Database refusing = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(database, method, arguments);
            return method.getName().equals("runAsync")
                    ? ((CompletableFuture<?>) Objects.requireNonNull(result))
                            .thenCompose(done -> CompletableFuture.failedFuture(full))
                    : result;
        });

        Health health = await(node(refusing, Environment.system()).health().check());

        assertThat(health.status()).isEqualTo(HealthStatus.DOWN);
        assertThat(health.reasons())
                .singleElement()
                .asString()
                .contains("answers reads and refuses a write", "No space left on device")
                .doesNotContain("cluster");
    }

    @Test
    void rowsOfALaterVersionAreDown() {
        rows.put(Tuple.from(70, 60, 60), "layout");

        Health health = check();

        assertThat(health.status()).isEqualTo(HealthStatus.DOWN);
        assertThat(health.reasons()).singleElement().asString().contains("key layout 70", "Run the version");
        assertThat(health.readVersionTook()).isPresent();
    }

    @Test
    void aClosedInstanceSaysSo() {
        checked.close();

        assertThat(failureOf(checked.health().check())).isInstanceOf(CouchJobsClosedException.class);
    }

    @Test
    void limitsThatCannotBeAreRefused() {
        HealthCheck health = jobs.health();
        assertThatThrownBy(() -> health.timeout(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> health.timeout(Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 h");
        assertThatThrownBy(() -> health.dueAtMost(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> health.quarantinedAtMost(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> health.quarantinedAtMost(101)).isInstanceOf(IllegalArgumentException.class);
    }
}
