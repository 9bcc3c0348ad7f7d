package dev.couchjobs.internal.quarantine;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.QuarantineKeys;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The check of a type after a row was moved into quarantine, which requests it. If it was the row of a job, rows of
 * indexes may be stale: one pass through the indexes finds them ({@link StaleRows}). If it was another row, a job may
 * lack it: the pass begins with the jobs ({@link LostRows}). A move during a pass requests another, so each pass ends.
 *
 * <p>A row says how far the pass is, and each step moves it, in conflict with every other step. A process goes on from
 * the place where it has left the pass, or where the pass has been since the process has last looked. So one process
 * does the work, and another takes over if that one dies.
 */
public final class IndexCheck {
    private static final byte[] EMPTY = {};
    private static final int READS_OF_A_JOB = 5;
    private static final Tuple BEGIN = Tuple.from(EMPTY);

    private IndexCheck() {}

    /**
     * What a process knows of the pass after it has looked.
     *
     * @param place how far the pass is; empty if none is under way
     * @param isDone whether this process has done a step
     */
    public record Step(Optional<Tuple> place, boolean isDone) {
        /** Nothing is known. */
        public static final Step NONE = new Step(Optional.empty(), false);
    }

    /** {@return whether a pass is requested or under way; read without conflicts} */
    public static CompletableFuture<Boolean> isNeeded(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .getRange(QuarantineKeys.of(keys).indexChecks(), 1)
                .asList()
                .thenApply(rows -> !rows.isEmpty());
    }

    /**
     * What a pass checks.
     *
     * @param lost the rows that jobs need
     * @param indexes all indexes, in the order of their keys
     */
    public record Checks(LostRows lost, List<JobIndex> indexes) {}

    /**
     * Does a step, if one is needed and no other process is at work.
     *
     * @param last the result of the last call in this process
     * @param limit how many rows to read at most
     */
    public static CompletableFuture<Step> step(Transaction tx, TypeKeys keys, Checks checks, Step last, int limit) {
        return tx.get(QuarantineKeys.of(keys).indexCheckPlace()).thenCompose(value -> {
            if (value == null) {
                return begin(tx, keys, checks, limit);
            }
            Optional<Tuple> place = Optional.of(decode(value));
            return place.equals(last.place())
                    ? check(tx, keys, checks, place.get(), limit)
                    : CompletableFuture.completedFuture(new Step(place, false));
        });
    }

    /**
     * Begins a pass: with the jobs, if a row was moved that some job may lack, or else with the indexes. The read of
     * the request conflicts: one that comes now is about rows that this pass may not see.
     */
    private static CompletableFuture<Step> begin(Transaction tx, TypeKeys keys, Checks checks, int limit) {
        byte[] request = QuarantineKeys.of(keys).indexCheckRequest();
        return tx.get(request).thenCompose(value -> {
            if (value == null) {
                return CompletableFuture.completedFuture(Step.NONE);
            }
            tx.clear(request);
            int moved = value.length == 0 ? QuarantineKeys.JOB_MOVED : value[0];
            CompletableFuture<Boolean> mayLackRows = (moved & QuarantineKeys.OTHER_MOVED) == 0
                    ? CompletableFuture.completedFuture(false)
                    : checks.lost().mayBeAny(tx, keys);
            return mayLackRows.thenCompose(mayLack -> {
                if (mayLack) {
                    return restore(tx, keys, checks, "", limit);
                }
                return (moved & QuarantineKeys.JOB_MOVED) == 0
                        ? CompletableFuture.completedFuture(new Step(Optional.empty(), true))
                        : check(tx, keys, checks, BEGIN, limit);
            });
        });
    }

    /** A job is looked up in several indexes, so a step looks at fewer of them. */
    private static CompletableFuture<Step> restore(
            Transaction tx, TypeKeys keys, Checks checks, String after, int limit) {
        return checks.lost()
                .restore(tx, keys, after, Math.max(1, limit / READS_OF_A_JOB))
                .thenApply(last -> moved(
                        tx,
                        keys,
                        last.map(id -> new JobRef(keys, id).dataKey())
                                .orElseGet(() -> checks.indexes().get(0).range(keys).begin)));
    }

    /** A pass whose place is damaged begins anew. */
    private static Tuple decode(byte[] value) {
        try {
            return Tuple.from((Object) Tuple.fromBytes(value).getBytes(0));
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            return BEGIN;
        }
    }

    /** A step reads one index. */
    private static CompletableFuture<Step> check(Transaction tx, TypeKeys keys, Checks checks, Tuple place, int limit) {
        byte[] begin = keys.absolute(place.getBytes(0));
        Optional<JobRef> lastJob = JobRef.ofRow(keys, begin);
        if (lastJob.isPresent()) {
            return restore(tx, keys, checks, lastJob.get().id(), limit);
        }
        for (JobIndex index : checks.indexes()) {
            Range range = index.range(keys);
            if (ByteArrayUtil.compareUnsigned(begin, range.end) < 0) {
                boolean hasBegun = ByteArrayUtil.compareUnsigned(begin, range.begin) > 0;
                return check(tx, keys, index, hasBegun ? new Range(begin, range.end) : range, limit);
            }
        }
        return CompletableFuture.completedFuture(moved(tx, keys, null));
    }

    private static CompletableFuture<Step> check(Transaction tx, TypeKeys keys, JobIndex index, Range rest, int limit) {
        return tx.snapshot().getRange(rest, limit).asList().thenCompose(rows -> {
            byte[] next = rows.size() < limit
                    ? rest.end
                    : ByteArrayUtil.keyAfter(rows.get(limit - 1).getKey());
            return StaleRows.among(tx.snapshot(), keys, index, rows)
                    .thenCompose(suspected -> StaleRows.remove(tx, keys, index, suspected))
                    .thenApply(done -> moved(tx, keys, next));
        });
    }

    /** @param next the first key that has yet to be checked, or null if there is none */
    private static Step moved(Transaction tx, TypeKeys keys, byte @Nullable [] next) {
        if (next == null) {
            tx.clear(QuarantineKeys.of(keys).indexCheckPlace());
            return new Step(Optional.empty(), true);
        }
        Tuple place = Tuple.from((Object) keys.relative(next));
        tx.set(QuarantineKeys.of(keys).indexCheckPlace(), place.pack());
        return new Step(Optional.of(place), true);
    }
}
