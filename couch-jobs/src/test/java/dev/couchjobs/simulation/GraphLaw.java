package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** No job of a graph goes by its retention before all jobs of the graph have ended. */
final class GraphLaw implements Law {
    private static final Subspace GRAPHS = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs", "graph"));
    private static final long PARENT = 3;

    private final Calls calls;
    private final DamageLaw damageLaw;
    private final Violations violations;
    private Map<Long, Long> parents = Map.of();
    private Map<Long, Long> parentsBefore = Map.of();

    GraphLaw(Calls calls, DamageLaw damageLaw, Violations violations) {
        this.calls = calls;
        this.damageLaw = damageLaw;
        this.violations = violations;
    }

    /** Looks at which graph has joined which, before the jobs are looked at. */
    void look(ReadTransaction tx) {
        parentsBefore = parents;
        Map<Long, Long> found = new HashMap<>();
        Objects.requireNonNull(tx.getRange(GRAPHS.range()).asList().getNow(null), "answered at once")
                .forEach(row -> {
                    Tuple key = GRAPHS.unpack(row.getKey());
                    if (key.getLong(1) == PARENT) {
                        found.put(
                                key.getLong(0), Tuple.fromBytes(row.getValue()).getLong(0));
                    }
                });
        parents = found;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            boolean goesByRetention = was.graph() != 0
                    && !after.jobs().containsKey(jobId)
                    && !damageLaw.isDamaged(jobId)
                    && !calls.removing.containsKey(jobId);
            if (goesByRetention) {
                long root = root(was.graph());
                before.jobs()
                        .forEach((other, job) -> violations.require(
                                job.graph() == 0
                                        || root(job.graph()) != root
                                        || hasEnded(job)
                                        || hasEnded(after.jobs().get(other)),
                                () -> jobId + " is gone by its retention, though " + other + " of its graph is "
                                        + job));
            }
        });
    }

    private static boolean hasEnded(@Nullable MainRow job) {
        return job == null || job.state() == JobState.FINISHED;
    }

    private long root(long graph) {
        Long parent = parentsBefore.get(graph);
        return parent == null ? graph : root(parent);
    }
}
