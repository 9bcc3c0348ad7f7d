package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The main jobs table and everything that follows from it.
 *
 * <p>A job's {@code data} row is the single point of mutual exclusion: every transition reads it, in a way that conflicts
 * with other transitions, and writes it. {@link #save} is the only place where a row is written, and it derives all the
 * rest from the row before and the row after: the pending queue, the activity index, the payload's chunks, the change
 * feed and the keys that others watch. So these always agree.
 */
public final class JobTable {
    private static final byte[] EMPTY = {};

    private JobTable() {}

    /** {@return its row, as this transaction left it if it wrote it} */
    public static CompletableFuture<Optional<JobRow>> read(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<TransactionScope.Written> written = TransactionScope.written(tx, key);
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key).thenApply(value -> Optional.ofNullable(value).map(JobRow::decode));
    }

    /** {@return rows by id, in order, as this transaction left them} */
    public static CompletableFuture<Map<String, JobRow>> list(
            ReadTransaction tx, TypeKeys keys, String after, int limit) {
        return new Listing(tx, keys, after, limit).read();
    }

    /**
     * Reads a job in order to change it: of several such steps on one job in one transaction, each sees what the one
     * before it wrote, also when the caller did not wait in between.
     */
    public static <T> CompletableFuture<T> edit(
            Transaction tx, JobRef ref, Function<Optional<JobRow>, CompletableFuture<T>> step) {
        return TransactionScope.of(tx)
                .inTurn(ref.dataKey(), tx.getExecutor(), () -> read(tx, ref).thenCompose(step));
    }

    /** Writes a row and all that follows from it. */
    public static void save(
            Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after, OptionalLong token) {
        TransactionScope scope = TransactionScope.of(tx);
        int userVersion = scope.userVersion(ref.dataKey());
        JobRow next = after == null ? null : after.stamped(userVersion);

        saveRow(tx, ref, next);
        savePending(tx, ref, before, next, userVersion);
        saveActivity(tx, ref, before, next);
        Payload.replace(tx, ref, before == null ? null : before.payload(), next == null ? null : next.payload());
        if (before == null || next == null || next.differsFrom(before)) {
            ChangeFeed.append(tx, ref, userVersion, next == null ? JobState.NOT_FOUND : next.state(), token);
        }
        scope.remember(ref.dataKey(), next);
    }

    private static void saveRow(Transaction tx, JobRef ref, @Nullable JobRow next) {
        if (next == null) {
            tx.clear(ref.dataKey());
        } else if (next.awaitsCommit()) {
            Stamps.setStampedValue(tx, ref.dataKey(), next.encode());
        } else {
            tx.set(ref.dataKey(), next.encode().pack());
        }
    }

    private static void savePending(
            Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next, int userVersion) {
        Optional<byte[]> old = pendingKey(ref, before);
        Optional<byte[]> now = pendingKey(ref, next);
        if (old.isPresent() && now.isPresent() && Arrays.equals(old.get(), now.get())) {
            return;
        }
        old.ifPresent(tx::clear);
        now.ifPresent(key -> {
            tx.set(key, EMPTY);
            Stamps.touch(tx, ref.keys().watchesPending(), userVersion);
        });
    }

    private static Optional<byte[]> pendingKey(JobRef ref, @Nullable JobRow row) {
        return row == null || row.state() != JobState.PENDING
                ? Optional.empty()
                : Optional.of(ref.keys().pending(row.scheduledTime(), ref.id()));
    }

    /**
     * An activity row whose stamp this very transaction is to fill in cannot be taken back: if the job is updated and
     * finished in one transaction it stays behind, and the activity monitor clears it away.
     */
    private static void saveActivity(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        Versionstamp old = before == null ? null : before.sequence();
        Versionstamp now = next == null ? null : next.sequence();
        if (old != null && old.isComplete() && !old.equals(now)) {
            tx.clear(ref.keys().activity(old));
        }
        if (now != null && !now.isComplete()) {
            byte[] jobId = Tuple.from(ref.id()).pack();
            Stamps.setStampedKey(tx, ref.keys().activityPrefix(), now.getUserVersion(), jobId);
        }
    }
}
