package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.faults.TypeRows;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job that ends goes by the retention that is stored for its type by then, or else by that of the code. */
final class RetentionLaw implements Law {
    private static final byte[] STORED =
            JobsSimulation.PREFIX.pack(Tuple.from("couch_jobs", "retention", JobsScenario.TYPE_NAME));
    /** Times are rounded up, those of jobs whose dependencies fail by a second more. */
    private static final long ROUNDED_SECONDS = 2;

    private final Retention ofCode;
    private final DamageLaw damageLaw;
    private final Violations violations;
    private byte @Nullable [] before;
    private byte @Nullable [] now;

    RetentionLaw(JobsScenario scenario, DamageLaw damageLaw, Violations violations) {
        this.ofCode = scenario.type().retention();
        this.damageLaw = damageLaw;
        this.violations = violations;
    }

    /** Looks at the row before the jobs are looked at. */
    void look(ReadTransaction tx) {
        before = now;
        now = tx.get(STORED).getNow(null);
    }

    /** A batch of commits may store a retention and end jobs, in either order: it counts if it stayed as it is. */
    @Override
    public void check(DerivedRows rowsBefore, DerivedRows rowsAfter, List<TypeRows.Change> news) {
        if (!Arrays.equals(before, now)) {
            return;
        }
        rowsAfter.jobs().forEach((jobId, job) -> {
            if (hasEnded(job, rowsBefore.jobs().get(jobId)) && !damageLaw.isDamaged(jobId)) {
                violations.require(
                        goesByRetention(job),
                        () -> jobId + " goes neither by " + stored() + " nor by " + ofCode + ": " + job);
            }
        });
    }

    private static boolean hasEnded(MainRow job, @Nullable MainRow was) {
        return job.state() == JobState.FINISHED && (was == null || was.state() != JobState.FINISHED);
    }

    private Optional<Tuple> stored() {
        return Optional.ofNullable(now).map(Tuple::fromBytes);
    }

    private boolean goesByRetention(MainRow job) {
        boolean hasFailed = job.isFinished(Outcome.FAILED);
        Optional<Tuple> stored = stored();
        boolean archived = stored.map(row -> row.getBoolean(2)).orElse(ofCode.isArchived());
        Optional<Long> kept = stored.isPresent()
                ? Optional.ofNullable((Long) stored.get().get(hasFailed ? 1 : 0))
                : ofCode.after(hasFailed ? Outcome.FAILED : Outcome.SUCCEEDED).map(Duration::toSeconds);
        long late = job.removeAt() - job.endedAt() / 1_000 - kept.orElse(0L);
        return job.archived() == archived
                && (kept.isPresent() ? late >= 0 && late <= ROUNDED_SECONDS : job.removeAt() == 0);
    }
}
