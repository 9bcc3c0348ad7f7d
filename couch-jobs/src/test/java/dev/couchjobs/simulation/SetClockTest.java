package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The clock of a process is set at any moment while the process claims or ends jobs with deadlines: the times that it
 * writes agree with what it has decided by the clock.
 */
class SetClockTest {
    private static final Duration KEPT = Duration.ofDays(7);
    /** Times of removal are rounded up, those of jobs whose dependencies fail by a second more. */
    private static final Duration ROUNDED = Duration.ofSeconds(2);

    private static final Duration UNTIL_LATE = Duration.ofHours(1);
    private static final JobType<String, Void> MAIL =
            JobType.of("mail", String.class).retention(Retention.of(KEPT));

    private enum Way {
        CLAIMS {
            @Override
            void go(VirtualStage stage, CouchJobs jobs) {
                while (stage.await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                        .isPresent()) {
                    stage.time().runUntilIdle();
                }
            }
        },
        SWEEPS {
            @Override
            void go(VirtualStage stage, CouchJobs jobs) {
                jobs.maintenance().monitor(MAIL);
            }
        };

        abstract void go(VirtualStage stage, CouchJobs jobs);
    }

    /** A clock that is set once, after a number of readings. */
    private static final class SetClock implements InstantSource {
        private final InstantSource right;
        private final Duration aheadBefore;
        private final Duration aheadAfter;
        private int readingsLeft;

        SetClock(InstantSource right, Duration aheadBefore, Duration aheadAfter, int readings) {
            this.right = right;
            this.aheadBefore = aheadBefore;
            this.aheadAfter = aheadAfter;
            this.readingsLeft = readings;
        }

        @Override
        public Instant instant() {
            return right.instant().plus(readingsLeft-- > 0 ? aheadBefore : aheadAfter);
        }

        boolean isSet() {
            return readingsLeft < 0;
        }
    }

    private static List<NewJob<String>> jobs(Instant now) {
        NewJob<String> job = NewJob.of(MAIL, "data");
        NewJob<String> late = job.startBefore(now.plus(UNTIL_LATE));
        return List.of(
                job.id("first").sequence("order-17"),
                late.id("queued"),
                late.id("scheduled").at(now.minusSeconds(1)),
                late.id("ranked").priority(7),
                late.id("limited").limitKey("tenant-7"),
                late.id("turn").turnKey("tenant-7"),
                late.id("held").sequence("order-17"),
                late.id("blocked").after(MAIL, "first"),
                job.id("fails").after(Dependency.on(MAIL, "queued").ifUnsuccessful(DependencyPolicy.FAIL)));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrittenAgreesWithWhatWasDecidedWhenTheClockIsSetBack(Way way) {
        assertThat(outcomes(way, UNTIL_LATE.multipliedBy(2), Duration.ZERO)).contains(Outcome.EXPIRED, Outcome.FAILED);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrittenAgreesWithWhatWasDecidedWhenTheClockIsSetForward(Way way) {
        assertThat(outcomes(way, Duration.ZERO, UNTIL_LATE.multipliedBy(2))).contains(Outcome.EXPIRED, Outcome.FAILED);
    }

    /** Sets the clock at the first reading, at the second, and so on until the process reads it no more. */
    private static Set<Outcome> outcomes(Way way, Duration aheadBefore, Duration aheadAfter) {
        Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
        boolean isSet = true;
        for (int readings = 0; isSet; readings++) {
            try (VirtualStage stage = new VirtualStage(readings)) {
                SetClock clock = new SetClock(stage.environment().clock(), aheadBefore, aheadAfter, readings);
                outcomes.addAll(outcomes(stage, way, clock, "set after " + readings + " readings"));
                isSet = clock.isSet();
            }
        }
        return outcomes;
    }

    private static Set<Outcome> outcomes(VirtualStage stage, Way way, SetClock clock, String when) {
        Environment right = stage.environment();
        Database database = stage.database();
        List<NewJob<String>> newJobs = jobs(right.clock().instant());
        Set<Outcome> outcomes = new HashSet<>();
        try (CouchJobs other =
                CouchJobs.builder(database).environment(right).name("other").build()) {
            stage.await(other.addAll(database, newJobs));
            try (CouchJobs process = CouchJobs.builder(database)
                    .environment(new Environment(clock, right.scheduler(), right.random()))
                    .name("process")
                    .build()) {
                way.go(stage, process);
                stage.time().advance(Duration.ofSeconds(2));
            }
            for (NewJob<String> newJob : newJobs) {
                String id = newJob.id().orElseThrow();
                JobInfo<String, Void> job =
                        stage.await(other.getJob(database, MAIL, id)).orElseThrow();
                check(newJob.startBefore(), job, id + ", " + when);
                job.outcome().ifPresent(outcomes::add);
            }
        }
        return outcomes;
    }

    private static void check(Optional<Instant> deadline, JobInfo<String, Void> job, String what) {
        Optional<Instant> begun = job.lastAttempt().map(JobAttempt::since);
        if (deadline.isPresent() && begun.isPresent()) {
            assertThat(begun.get()).as("begin of %s", what).isBefore(deadline.get());
        }
        if (job.outcome().equals(Optional.of(Outcome.EXPIRED))) {
            assertThat(begun).as("begin of %s", what).isEmpty();
            assertThat(job.endedAt().orElseThrow()).as("end of %s", what).isAfterOrEqualTo(deadline.orElseThrow());
        }
        if (job.endedAt().isPresent()) {
            Instant removed = job.endedAt().get().plus(KEPT);
            assertThat(job.removeAt().orElseThrow())
                    .as("removal of %s", what)
                    .isBetween(removed, removed.plus(ROUNDED));
        }
    }
}
