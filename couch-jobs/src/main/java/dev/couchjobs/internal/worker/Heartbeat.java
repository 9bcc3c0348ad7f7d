package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A heartbeat of many jobs, through all the tries of its transaction. A lost claim does not disturb the others. A
 * second heartbeat does no harm.
 */
final class Heartbeat {
    private final TypeKeys keys;
    private final List<JobRun<?>> runs;
    private final List<byte[]> emptied;

    /**
     * A heartbeat to be written.
     *
     * @param emptied the keys of the activity rows that count no jobs but these
     */
    Heartbeat(TypeKeys keys, List<JobRun<?>> runs, List<byte[]> emptied) {
        this.keys = keys;
        this.runs = runs;
        this.emptied = emptied;
    }

    /**
     * The result of a heartbeat.
     *
     * @param renewed the runs whose leases are renewed, with the activity row that each shares from now on, if any
     * @param lost the runs whose claims are lost
     */
    record Result(Map<JobRun<?>, Optional<SharedActivity>> renewed, List<Lost> lost) {}

    /** A run whose claim is lost, and whether it was lost because the job was cancelled. */
    record Lost(JobRun<?> run, boolean isCancelled) {
        /** {@return the loss of a run, if the row of its job neither shows its claim nor its end} */
        private static Optional<Lost> of(JobRun<?> run, Optional<JobRow> row) {
            ClaimedJob<?> job = run.job();
            if (row.isEmpty() && run.isEnding()) {
                return Optional.empty(); // the job may be gone because its handler has ended it
            }
            boolean isHeldOrEnded = row.filter(
                            present -> present.isHeldBy(job.lock()) || present.wasLastHeldBy(job.lock()))
                    .isPresent();
            boolean isCancelled = row.filter(present -> present.wasCancelledUnder(job.claim()))
                    .isPresent();
            return isHeldOrEnded ? Optional.empty() : Optional.of(new Lost(run, isCancelled));
        }
    }

    /** {@return the runs whose claims are lost} */
    static CompletableFuture<List<Lost>> findLost(Transaction tx, List<? extends JobRun<?>> runs) {
        return JobTable.findAll(tx, runs.stream().map(JobRun::ref).toList())
                .thenApply(found -> IntStream.range(0, runs.size())
                        .mapToObj(i -> Lost.of(runs.get(i), found.get(i)))
                        .flatMap(Optional::stream)
                        .toList());
    }

    CompletableFuture<Result> write(Transaction tx) {
        return JobTable.findAll(tx, runs.stream().map(JobRun::ref).toList()).thenApply(found -> {
            List<Lost> lost = new ArrayList<>();
            Map<String, JobRun<?>> held = new HashMap<>();
            Map<String, JobRow> rows = new HashMap<>();
            for (int i = 0; i < runs.size(); i++) {
                JobRun<?> run = runs.get(i);
                Optional<JobRow> row = found.get(i);
                if (row.filter(present -> present.isHeldBy(run.job().lock())).isPresent()) {
                    held.put(run.ref().id(), run);
                    rows.put(run.ref().id(), row.get());
                } else {
                    Lost.of(run, row).ifPresent(lost::add);
                }
            }
            return new Result(save(tx, held, rows), lost);
        });
    }

    private Map<JobRun<?>, Optional<SharedActivity>> save(
            Transaction tx, Map<String, JobRun<?>> held, Map<String, JobRow> rows) {
        boolean shared = held.size() > 1;
        List<RowChange> changes = new ArrayList<>(held.size());
        held.forEach((id, run) -> {
            JobRow row = rows.get(id);
            if (row != null) {
                changes.add(new RowChange(run.ref(), row, row.renewed(row.payload(), shared)));
            }
        });
        Map<JobRun<?>, Optional<SharedActivity>> renewed = new HashMap<>();
        JobStore jobs = JobStore.of(tx);
        for (List<RowChange> portion : JobStore.partition(changes)) {
            int userVersion = jobs.saveTogether(portion);
            Optional<SharedActivity> activity =
                    shared ? Optional.of(new SharedActivity(tx, keys, userVersion, portion.size())) : Optional.empty();
            portion.forEach(change -> renewed.put(held.get(change.ref().id()), activity));
        }
        emptied.forEach(tx::clear);
        return renewed;
    }
}
