package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.data.ActivityIndex;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A sign of life of many jobs, through all the tries that its transaction takes. One that is lost does not disturb the
 * others. It may happen twice without harm.
 */
final class Heartbeat {
    private final TypeKeys keys;
    private final List<JobRun<?>> runs;
    private final List<Versionstamp> emptied;

    /**
     * A heartbeat to be written.
     *
     * @param emptied the activity rows under which no job is left when these jobs have gone
     */
    Heartbeat(TypeKeys keys, List<JobRun<?>> runs, List<Versionstamp> emptied) {
        this.keys = keys;
        this.runs = runs;
        this.emptied = emptied;
    }

    /**
     * What a heartbeat came to.
     *
     * @param heard the jobs that are held, with the activity row that each of them shares from now on, if it does
     * @param lost the jobs that are another's, or gone
     */
    record RenewedClaims(Map<JobRun<?>, Optional<SharedActivity>> heard, List<JobRun<?>> lost) {}

    CompletableFuture<RenewedClaims> write(Transaction tx) {
        List<CompletableFuture<Optional<JobRow>>> reads = new ArrayList<>(runs.size());
        runs.forEach(run -> reads.add(JobTable.find(tx, run.ref())));
        return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<JobRun<?>> lost = new ArrayList<>();
                    Map<String, JobRun<?>> held = new HashMap<>();
                    Map<String, JobRow> rows = new HashMap<>();
                    for (int i = 0; i < runs.size(); i++) {
                        JobRun<?> run = runs.get(i);
                        Optional<JobRow> row = reads.get(i).join();
                        if (row.filter(found -> found.isHeldBy(run.job().lock()))
                                .isPresent()) {
                            held.put(run.ref().id(), run);
                            rows.put(run.ref().id(), row.get());
                        } else if (row.filter(
                                        found -> found.wasLastHeldBy(run.job().lock()))
                                .isEmpty()) {
                            lost.add(run);
                        }
                    }
                    return new RenewedClaims(save(tx, held, rows), lost);
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
        Map<JobRun<?>, Optional<SharedActivity>> heard = new HashMap<>();
        JobTransaction jobs = JobTransaction.of(tx);
        for (List<RowChange> portion : JobTransaction.partition(changes)) {
            int userVersion = jobs.saveTogether(portion);
            Optional<SharedActivity> activity =
                    shared ? Optional.of(new SharedActivity(tx, userVersion, portion.size())) : Optional.empty();
            portion.forEach(change -> heard.put(held.get(change.ref().id()), activity));
        }
        emptied.forEach(sequence -> ActivityIndex.clear(tx, keys, sequence));
        return heard;
    }
}
