package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.Rate;
import dev.couchjobs.Retention;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One row of an instance is damaged, of each table in turn. All jobs whose own rows are sound run, and the retention
 * removes them, once the library has met the row.
 */
class DamagedRowsTest {
    private static final byte[] GARBAGE = {0x7F};
    private static final Retention TEN_MINUTES = Retention.of(Duration.ofMinutes(10));
    private static final JobType<String, String> FULL =
            JobType.of("full", String.class, String.class).retention(TEN_MINUTES);
    private static final JobType<String, String> OTHER =
            JobType.of("other", String.class, String.class).retention(TEN_MINUTES);
    private static final PageRequest ALL = PageRequest.of(1_000);

    /** The layout stands for all rows. */
    private static final Set<String> LEFT_OUT = Set.of("layout", "feed");
    /** A damaged row of rules pauses its type (rfc/021). */
    private static final String RULES = "rules";
    /** A damaged row of these belongs to a job, batch or schedule, which waits until it is restored or removed. */
    private static final Set<String> OWN =
            Set.of("data", "payload", "batches", "schedules", "schedule_data", "slots", "dependents");

    /** An instance in virtual time that uses everything. */
    private static final class Instance implements AutoCloseable {
        final JobsTestKit kit = JobsTestKit.forTypes(FULL, OTHER);
        final Database database = kit.database();
        final CouchJobs jobs = kit.jobs();

        Instance() {
            CompletableFuture<?> indexed = jobs.statuses().index(FULL);
            await(indexed);
            await(jobs.limits().set(database, FULL, "tenant", 1));
            await(jobs.limits().setRate(database, FULL, "rated", Rate.evenly(1, Duration.ofSeconds(1), 1)));
            await(jobs.limits().setWeight(database, FULL, "turn-1", 3));
            await(jobs.limits().setTotal(database, FULL, 20));
            add(FULL, "succeeded");
            add(FULL, "failed");
            Job<String> first = claim();
            Job<String> second = claim();
            await(jobs.processor().log(database, first, "an entry"));
            await(jobs.processor().progress(database, first, 1, 2, "half of it"));
            await(jobs.processor().finishWithResult(database, FULL, first, "R".repeat(200_000)));
            await(jobs.processor().fail(database, second, "bad", false));
            for (int i = 0; i < 3; i++) {
                add(NewJob.of(FULL, "data").id("limited-" + i).limitKey("tenant"));
                add(NewJob.of(FULL, "data").id("rated-" + i).limitKey("rated"));
                add(NewJob.of(FULL, "data").id("turn-" + i).turnKey("turn-" + i % 2));
                add(NewJob.of(FULL, "data").id("line-" + i).sequence("line"));
                add(NewJob.of(FULL, "data").id("ranked-" + i).priority(i));
                add(NewJob.of(FULL, "data").id("later-" + i).at(kit.now().plusSeconds(60 + i)));
            }
            add(NewJob.of(FULL, "data").id("unique").unique(Unique.by("key")).tags("tag"));
            add(NewJob.of(FULL, "D".repeat(200_000)).id("large"));
            add(NewJob.of(FULL, "data").id("deadline").startBefore(kit.now().plus(Duration.ofHours(2))));
            add(NewJob.of(FULL, "data").id("dependent").after(FULL, "unique"));
            await(jobs.batches()
                    .open(
                            database,
                            Batch.of("batch").closing(NewJob.of(OTHER, "data").id("closing"))));
            add(NewJob.of(FULL, "data").id("member").batch("batch"));
            await(jobs.batches().seal(database, "batch"));
            await(jobs.schedules()
                    .put(database, Schedule.every("daily", Duration.ofDays(1), NewJob.of(OTHER, "S".repeat(5_000)))));
            add(NewJob.of(FULL, "data").id("silent").priority(1_000));
            claim();
            add(OTHER, "plain");
        }

        private <T> T await(CompletableFuture<T> begun) {
            kit.runDue();
            return begun.orTimeout(10, TimeUnit.SECONDS).join();
        }

        private void add(JobType<String, String> type, String id) {
            add(NewJob.of(type, "data").id(id));
        }

        private void add(NewJob<String> job) {
            await(jobs.add(database, job));
        }

        private Job<String> claim() {
            return await(jobs.processor().accept(FULL, AcceptOptions.nonBlocking()))
                    .orElseThrow();
        }

        List<KeyValue> rows() {
            return database.run(
                    tx -> tx.getRange(Tuple.from("couch_jobs").range()).asList().join());
        }

        Set<String> left(JobType<String, String> type) {
            Set<String> ids = new TreeSet<>();
            await(jobs.list(database, type, ALL)).items().forEach(job -> ids.add(job.jobId()));
            ids.removeIf(id -> id.startsWith("daily"));
            return ids;
        }

        /** The table is the first element of the key. */
        void assertHealthNamesWhatIsInQuarantine() {
            List<String> reasons = await(jobs.health().check()).reasons();
            for (JobType<String, String> type : List.of(FULL, OTHER)) {
                for (QuarantinedRow row :
                        await(jobs.quarantine().list(database, type, ALL)).items()) {
                    String table = row.row().substring(2, row.row().indexOf('"', 2));
                    assertThat(reasons)
                            .anySatisfy(reason -> assertThat(reason)
                                    .contains(table + " (type " + type.name() + ") is ")
                                    .doesNotContain("does not know"));
                }
            }
        }

        @Override
        public void close() {
            kit.close();
        }
    }

    private static String table(KeyValue row) {
        return Tuple.fromBytes(row.getKey()).getString(1);
    }

    static Stream<String> tables() {
        try (Instance instance = new Instance()) {
            Set<String> tables = new TreeSet<>();
            instance.rows().forEach(row -> tables.add(table(row)));
            tables.removeAll(LEFT_OUT);
            return tables.stream();
        }
    }

    @Test
    void aJobThatIsIndexedAgainDoesNotTakeAKeyBackFromAnother() {
        try (JobsTestKit kit = JobsTestKit.forTypes(FULL)) {
            NewJob<String> job = NewJob.of(FULL, "data").unique(Unique.by("shared"));
            kit.work(worker -> worker.handle(FULL, context -> "done"));
            kit.jobs().add(kit.database(), job.id("former")).join();
            kit.runDue();
            kit.jobs()
                    .add(kit.database(), job.id("owner").at(kit.now().plus(Duration.ofDays(9))))
                    .join();
            kit.database().run(tx -> {
                List<KeyValue> ends = tx.getRange(
                                Tuple.from("couch_jobs", "retire").range())
                        .asList()
                        .join();
                assertThat(ends).hasSize(1);
                tx.set(ends.get(0).getKey(), GARBAGE);
                return true;
            });

            kit.advance(Duration.ofDays(1));

            assertThat(kit.jobs().list(kit.database(), FULL, ALL).join().items())
                    .extracting(JobSummary::jobId)
                    .containsExactly("owner");
            assertThat(kit.jobs().add(kit.database(), job.id("late")).join().jobId())
                    .isEqualTo("owner");
        }
    }

    /** What health says to do about a link: cancel the job that waits, and add it again. */
    @Test
    void aJobWhoseLinkWasDamagedRunsOnceItIsAddedAgain() {
        try (JobsTestKit kit = JobsTestKit.forTypes(FULL)) {
            NewJob<String> waiting = NewJob.of(FULL, "data").id("waiting").after(FULL, "first");
            kit.jobs().add(kit.database(), FULL, "first", "data").join();
            kit.jobs().add(kit.database(), waiting).join();
            damage(kit, "dependents");
            Set<String> ran = new TreeSet<>();
            kit.work(worker -> worker.handle(FULL, job -> {
                ran.add(job.id());
                return "done";
            }));
            kit.advance(Duration.ofMinutes(1));
            assertThat(ran).containsExactly("first");
            assertThat(kit.jobs().health().check().join().reasons())
                    .anyMatch(reason -> reason.contains("cancel that one and add it again"));

            kit.jobs()
                    .control()
                    .cancel(kit.database(), FULL, "waiting", "its link is lost")
                    .join();
            kit.jobs().add(kit.database(), waiting).join();
            kit.advance(Duration.ofMinutes(1));

            assertThat(ran).containsExactly("first", "waiting");
            assertHealthyOnceRemoved(kit);
        }
    }

    /** What health says to do about a schedule, and about the job of one: put the schedule again. */
    @ParameterizedTest
    @ValueSource(strings = {"data", "schedules"})
    void aScheduleGoesOnOnceItIsPutAgain(String damaged) {
        try (JobsTestKit kit = JobsTestKit.forTypes(FULL)) {
            Schedule schedule = Schedule.every("daily", Duration.ofDays(1), NewJob.of(FULL, "data"));
            kit.jobs().schedules().put(kit.database(), schedule).join();
            TreeSet<String> ran = new TreeSet<>();
            kit.work(worker -> worker.handle(FULL, job -> {
                ran.add(job.id());
                return "done";
            }));
            kit.advance(Duration.ofDays(2));
            damage(kit, damaged);
            kit.advance(Duration.ofDays(5));
            int before = ran.size();
            assertThat(kit.jobs().health().check().join().reasons())
                    .anyMatch(reason -> reason.contains(damaged + " (type full)") && reason.contains("put"));

            kit.jobs().schedules().put(kit.database(), schedule).join();
            kit.advance(Duration.ofDays(2));

            assertThat(ran).hasSizeGreaterThan(before);
            assertHealthyOnceRemoved(kit);
        }
    }

    private static void damage(JobsTestKit kit, String table) {
        kit.database().run(tx -> {
            List<KeyValue> rows = tx.getRange(Tuple.from("couch_jobs", table).range())
                    .asList()
                    .join();
            tx.set(rows.get(rows.size() - 1).getKey(), GARBAGE);
            return true;
        });
    }

    private static void assertHealthyOnceRemoved(JobsTestKit kit) {
        kit.jobs()
                .quarantine()
                .list(kit.database(), FULL, ALL)
                .join()
                .items()
                .forEach(row -> kit.jobs()
                        .quarantine()
                        .remove(kit.database(), FULL, row.id())
                        .join());
        assertThat(kit.jobs().health().check().join().reasons()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("tables")
    void allOtherJobsRunAndAreRemoved(String table) {
        try (Instance instance = new Instance()) {
            byte[] damaged = instance.rows().stream()
                    .filter(row -> table(row).equals(table))
                    .map(KeyValue::getKey)
                    .filter(key -> !Tuple.fromBytes(key).getItems().contains("plain"))
                    .filter(key -> !table.equals("data")
                            || !Tuple.fromBytes(key).toString().contains("daily@"))
                    .reduce((first, second) -> second)
                    .orElseThrow();
            instance.database.run(tx -> {
                tx.set(damaged, GARBAGE);
                return true;
            });
            Set<String> ran = new TreeSet<>();
            instance.kit.work(worker -> worker.handle(FULL, job -> {
                        ran.add(job.id());
                        return "done";
                    })
                    .handle(OTHER, job -> {
                        ran.add(job.id());
                        return "done";
                    }));

            for (int day = 0; day < 20; day++) {
                instance.kit.advance(Duration.ofDays(1));
            }

            instance.assertHealthNamesWhatIsInQuarantine();
            assertThat(ran).contains("plain").anyMatch(id -> table.startsWith("schedule") || id.startsWith("daily"));
            assertThat(instance.left(OTHER)).isSubsetOf("closing");
            if (table.equals(RULES)) {
                assertThat(ran).doesNotContain("unique");
                instance.await(instance.jobs.types().resume(instance.database, FULL));
                instance.kit.advance(Duration.ofDays(1));
                assertThat(ran).contains("unique");
            } else {
                assertThat(instance.left(FULL)).hasSizeLessThanOrEqualTo(OWN.contains(table) ? 3 : 0);
            }
        }
    }
}
