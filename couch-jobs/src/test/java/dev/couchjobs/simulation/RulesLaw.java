package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** No job of a paused type is claimed, and none while as many jobs run as the limit of the type says. */
final class RulesLaw implements Law {
    private static final byte[] RULES =
            JobsSimulation.PREFIX.pack(Tuple.from("couch_jobs", "rules", JobsScenario.TYPE_NAME));
    private static final Tuple NONE = Tuple.fromList(Arrays.asList(null, null, null));

    private final Violations violations;
    private Tuple before = NONE;
    private Tuple now = NONE;

    RulesLaw(Violations violations) {
        this.violations = violations;
    }

    /** Looks at the rules before the jobs are looked at. */
    void look(ReadTransaction tx) {
        before = now;
        byte @Nullable [] row = tx.get(RULES).getNow(null);
        now = row == null ? NONE : Tuple.fromBytes(row);
    }

    /**
     * A batch of commits may change the rules and claim, in either order: the rules count if they stayed as they are.
     */
    @Override
    public void check(DerivedRows rowsBefore, DerivedRows rowsAfter, List<TypeRows.Change> news) {
        boolean isClaim = rowsAfter.jobs().entrySet().stream()
                .anyMatch(job -> job.getValue().isClaimedSince(rowsBefore.jobs().get(job.getKey())));
        if (!isClaim || !before.equals(now)) {
            return;
        }
        violations.require(
                now.get(0) == null, () -> "A job was claimed although the type is paused: " + rowsAfter.jobs());
        long running = rowsAfter.jobs().values().stream()
                .filter(job -> job.state() == JobState.RUNNING)
                .count();
        violations.require(
                now.get(2) == null || running <= now.getLong(2),
                () -> running + " jobs run, and the limit is " + now + ": " + rowsAfter.jobs());
    }
}
