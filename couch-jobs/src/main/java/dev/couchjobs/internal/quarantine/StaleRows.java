package dev.couchjobs.internal.quarantine;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Finds and removes rows of a {@link JobIndex} whose job is gone, or is not as they say. */
public final class StaleRows {
    private StaleRows() {}

    /** {@return the keys of those rows that are stale, as far as a read without conflicts can tell} */
    public static CompletableFuture<List<byte[]>> among(
            ReadTransaction tx, TypeKeys keys, JobIndex index, List<KeyValue> rows) {
        Map<KeyValue, JobIndex.Statement> statements = new LinkedHashMap<>();
        rows.forEach(row -> Quarantine.readableOrLogged(row, each -> index.decode(keys, each))
                .ifPresent(statement -> statements.put(row, statement)));
        Map<JobRef, CompletableFuture<Optional<JobRow>>> jobs = new HashMap<>();
        statements.values().forEach(statement -> jobs.computeIfAbsent(statement.job(), job -> JobTable.find(tx, job)));
        return Futures.allOf(jobs.values()).thenApply(done -> {
            List<byte[]> stale = new ArrayList<>();
            statements.forEach((row, statement) -> {
                Optional<JobRow> job =
                        Objects.requireNonNull(jobs.get(statement.job())).join();
                if (job.filter(statement.isTrueOf()).isEmpty()) {
                    stale.add(row.getKey());
                }
            });
            return stale;
        });
    }

    /**
     * Removes those rows that are stale. The transaction conflicts with whoever writes such a row or its job: so no row
     * is removed that has become right, and none is counted twice.
     *
     * @param suspected the keys of rows that may be stale
     */
    public static CompletableFuture<?> remove(Transaction tx, TypeKeys keys, JobIndex index, List<byte[]> suspected) {
        List<CompletableFuture<Optional<KeyValue>>> reads = suspected.stream()
                .map(key -> tx.get(key)
                        .thenApply(value -> Optional.ofNullable(value).map(bytes -> new KeyValue(key, bytes))))
                .toList();
        return Futures.presentOf(reads)
                .thenCompose(rows -> among(tx, keys, index, rows))
                .thenAccept(stale -> index.clear(tx, keys, stale));
    }
}
