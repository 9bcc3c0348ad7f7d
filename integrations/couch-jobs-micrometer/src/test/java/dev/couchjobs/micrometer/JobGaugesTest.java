package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gauges follow what is stored, say nothing that is not known, and end. */
@Timeout(60)
class JobGaugesTest {
    private static final JobType<Integer, Void> MAIL = JobType.of("mail", Integer.class);
    private static final JobType<Integer, Void> INDEX = JobType.of("index", Integer.class);
    private static final Duration OFTEN = Duration.ofMillis(5);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Database database = EmbeddedDatabase.openInMemory();
    private final CouchJobs jobs = CouchJobs.on(database);

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    /** Waits until a gauge has a value. */
    private void await(String name, DoublePredicate expected, String... tags) {
        while (true) {
            Gauge gauge = registry.find(name).tags(tags).gauge();
            if (gauge != null && expected.test(gauge.value())) {
                return;
            }
            Polling.pause();
        }
    }

    private void await(String name, double value, String... tags) {
        await(name, now -> now == value, tags);
    }

    private Instant longAgo() {
        return Instant.now().minusSeconds(100);
    }

    @Test
    void depthAgeWorkersAndQuarantineFollowWhatIsStored() {
        jobs.addAll(
                        database,
                        List.of(
                                NewJob.of(MAIL, 1).at(longAgo()),
                                NewJob.of(MAIL, 2),
                                NewJob.of(INDEX, 1).at(Instant.now().plusSeconds(3_600))))
                .join();
        database.run(tx -> {
            tx.set(Tuple.from("couch_jobs", "quarantine", "mail", 0, 1).pack(), new byte[] {1});
            return true;
        });
        try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN)) {
            assertThat(gauges).isNotNull();
            await("couchjobs.jobs", 2, "type", "mail", "state", "pending");
            await("couchjobs.jobs", 1, "type", "index", "state", "pending");
            await("couchjobs.queue.age", age -> age >= 100 && age < 1_000, "type", "mail");
            await("couchjobs.queue.age", 0, "type", "index");
            await("couchjobs.quarantined", 1);
            await("couchjobs.workers", 0);

            var unused = jobs.worker().process(MAIL, job -> {}).start();

            await("couchjobs.workers", 1);
            await("couchjobs.jobs", 2, "type", "mail", "state", "succeeded");
            await("couchjobs.jobs", 0, "type", "mail", "state", "pending");
            await("couchjobs.queue.age", 0, "type", "mail");
            assertThat(registry.find("couchjobs.jobs").gauges()).hasSize(14);
        }
    }

    @Test
    void aTypeThatIsNewGetsGauges() {
        try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN)) {
            assertThat(gauges).isNotNull();
            await("couchjobs.workers", 0);
            jobs.add(database, MAIL, 1).join();
            await("couchjobs.jobs", 1, "type", "mail", "state", "pending");
        }
    }

    @Test
    void afterAFailedPollNoGaugeShowsAnOldValueAndTheNextPollsGoOn() {
        jobs.add(database, MAIL, 1).join();
        byte[] layout = Tuple.from("couch_jobs", "layout").pack();
        byte[] known = database.run(tx -> tx.get(layout).join());
        try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN)) {
            assertThat(gauges).isNotNull();
            await("couchjobs.jobs", 1, "type", "mail", "state", "pending");

            database.run(tx -> {
                tx.set(layout, Tuple.from(99, 99, 99).pack());
                return true;
            });
            await("couchjobs.jobs", Double::isNaN, "type", "mail", "state", "pending");
            await("couchjobs.queue.age", Double::isNaN, "type", "mail");
            await("couchjobs.workers", Double::isNaN);

            database.run(tx -> {
                tx.set(layout, known);
                return true;
            });
            await("couchjobs.jobs", 1, "type", "mail", "state", "pending");
        }
    }

    @Test
    void aClosedInstanceHasNoNumbers() {
        try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN)) {
            assertThat(gauges).isNotNull();
            await("couchjobs.workers", 0);
            jobs.close();
            await("couchjobs.workers", Double::isNaN);
        }
    }

    @Test
    void closingRemovesTheGaugesAndEndsThePolls() {
        jobs.add(database, MAIL, 1).join();
        JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN);
        await("couchjobs.jobs", 1, "type", "mail", "state", "pending");

        gauges.close();

        assertThat(registry.getMeters()).isEmpty();
        jobs.add(database, INDEX, 1).join();
        try (JobGauges next = JobGauges.on(registry, database, jobs, OFTEN, List.of(MAIL))) {
            assertThat(next).isNotNull();
            await("couchjobs.jobs", 1, "type", "mail", "state", "pending");
            assertThat(registry.find("couchjobs.jobs").tag("type", "index").gauges())
                    .isEmpty();
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void moreThanAHundredTypesMakeNoMoreGauges() {
        List<JobType<Integer, Void>> many = IntStream.range(0, 150)
                .mapToObj(i -> JobType.<Integer>of("type-" + i, Integer.class))
                .toList();
        jobs.addAll(database, many.stream().map(type -> NewJob.of(type, 1)).toList())
                .join();
        try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN)) {
            assertThat(gauges).isNotNull();
            await("couchjobs.jobs", 1, "type", "type-0", "state", "pending");
            assertThat(registry.find("couchjobs.queue.age").gauges()).hasSize(100);
        }
        assertThatThrownBy(() -> JobGauges.on(registry, database, jobs, OFTEN, many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("150");
        assertThatThrownBy(() -> JobGauges.on(registry, database, jobs, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(registry.getMeters()).isEmpty();
    }
}
