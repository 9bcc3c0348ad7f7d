package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds running jobs without a row in the activity index, whose expiry no monitor would find, and writes their rows.
 * Such jobs exist only if rows were changed without the library, or in one transaction through wrappers that do not
 * share their options (see {@link JobStore}).
 *
 * <p>The audit reads all jobs of a type, one page every few steps, and none while no job runs. After the last page it
 * starts again. It halves a page that fails, and skips a single job that fails.
 */
final class ActivityIndexAudit {
    private static final Logger LOG = LoggerFactory.getLogger(ActivityIndexAudit.class);
    private static final int PAGE_MAX = 100;
    private static final int STEPS_PER_PAGE = 4;

    private final Database database;
    private final Transactions transactions;
    private final Keyspace keyspace;
    private final TypeKeys keys;
    private final BatchSize page = new BatchSize(PAGE_MAX);

    // Used by one step at a time.
    private String after = "";
    private int steps;
    /** The id after which the audit continues if the page fails, once the page has one job. */
    private Optional<String> continueAfter = Optional.empty();

    ActivityIndexAudit(Database database, Transactions transactions, Keyspace keyspace, TypeKeys keys) {
        this.database = database;
        this.transactions = transactions;
        this.keyspace = keyspace;
        this.keys = keys;
    }

    /** Reads one page of jobs, if a page is due. */
    CompletableFuture<?> step() {
        steps++;
        return steps % STEPS_PER_PAGE == 0 ? auditNextPage() : CompletableFuture.completedFuture(after);
    }

    private CompletableFuture<?> auditNextPage() {
        return page.run(tries -> transactions.run(database, tx -> tries.next(size -> auditPage(tx, size))))
                .whenComplete((last, error) -> after = error == null ? last : continueAfter.orElse(after));
    }

    /** Returns the id of the last job of the page, or the empty string after the last page. */
    private CompletableFuture<String> auditPage(Transaction tx, int size) {
        continueAfter = Optional.empty();
        return StateCounters.read(tx.snapshot(), keys)
                .thenCompose(
                        counts -> counts.running() == 0 ? CompletableFuture.completedFuture("") : auditRows(tx, size));
    }

    private CompletableFuture<String> auditRows(Transaction tx, int size) {
        return JobTable.list(tx, keys, after, size).thenCompose(page -> {
            Map<String, JobRow> rows = page.byId();
            String last = rows.size() < size ? "" : List.copyOf(rows.keySet()).get(size - 1);
            continueAfter = size == 1 ? Optional.of(last) : Optional.empty();
            List<CompletableFuture<?>> audits = rows.entrySet().stream()
                    .flatMap(entry -> auditRow(tx, entry))
                    .toList();
            return Futures.allOf(audits).thenApply(done -> last);
        });
    }

    private Stream<CompletableFuture<?>> auditRow(Transaction tx, Map.Entry<String, JobRow> entry) {
        JobRow row = entry.getValue();
        if (row.state() != JobState.RUNNING || row.sequence() == null) {
            return Stream.empty();
        }
        String id = entry.getKey();
        return Stream.of(ActivityIndex.jobIds(tx, keys, row.sequence())
                .thenCompose(ids -> ids.contains(id)
                        ? CompletableFuture.completedFuture(id)
                        : restoreActivity(tx, keyspace.job(keys.typeName(), id), row)));
    }

    /** Starts a new lease of the claim: the last heartbeat is unknown. */
    private static CompletableFuture<String> restoreActivity(Transaction tx, JobRef ref, JobRow seen) {
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(ref, now -> {
            now.filter(row -> row.sequence() != null && row.sequence().equals(seen.sequence()))
                    .ifPresent(row -> {
                        LOG.warn("Job {} was running without a row in the activity index; it has one now", ref);
                        jobs.conflictWithHeartbeats(ref);
                        jobs.save(ref, row, row.renewed(row.payload()));
                    });
            return CompletableFuture.completedFuture(ref.id());
        });
    }
}
