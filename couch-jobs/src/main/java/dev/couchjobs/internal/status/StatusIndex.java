package dev.couchjobs.internal.status;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobStatus;
import dev.couchjobs.internal.data.Feature;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Layout;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.PackedCounters;
import dev.couchjobs.internal.data.Quarantine;
import dev.couchjobs.internal.data.TypeKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The status index of a type: its jobs by status, and how many there are of each. {@link StatusSettlement} writes the
 * rows.
 */
public final class StatusIndex {
    private static final int SHARDS = 16;
    private static final byte[] BUILDING = Tuple.from(false).pack();
    private static final byte[] COMPLETE = Tuple.from(true).pack();
    private static final String BUILT_UP_TO = "built_up_to";

    private StatusIndex() {}

    /** How far the jobs of a type are indexed. */
    public enum State {
        /** None is. */
        NONE,
        /** Those are that were added or have changed their status since the build began, and others. */
        BUILDING,
        /** All are. */
        COMPLETE
    }

    /**
     * What a transaction has read of the state of an index.
     *
     * @param layoutNumber {@link Layout#settings} as of that transaction, while which the state is the same
     */
    record Known(long layoutNumber, State state) {}

    /**
     * {@return how far the jobs of a type are indexed, for a transaction that writes} The layout row, which each
     * transaction reads with a conflict, changes with each state, so a process reads a state once.
     */
    static CompletableFuture<State> stateWhileWriting(Transaction tx, TypeKeys keys) {
        return LayoutRow.whileWriting(tx).thenCompose(layout -> {
            if (!layout.mayUse(Feature.STATUS_INDEX)) {
                return CompletableFuture.completedFuture(State.NONE);
            }
            Optional<Known> known = keys.known(Known.class).filter(read -> read.layoutNumber() == layout.settings());
            return known.isPresent()
                    ? CompletableFuture.completedFuture(known.get().state())
                    : state(tx, keys).thenApply(state -> {
                        keys.know(new Known(layout.settings(), state));
                        return state;
                    });
        });
    }

    /** {@return how far the jobs of a type are indexed} */
    public static CompletableFuture<State> state(ReadTransaction tx, TypeKeys keys) {
        return tx.get(keys.statusesPrefix()).thenApply(StatusIndex::decode);
    }

    /** A damaged row reads as that of an index which is being built: it is complete once that was done again. */
    private static State decode(byte @Nullable [] value) {
        if (value == null) {
            return State.NONE;
        }
        return Arrays.equals(value, COMPLETE) ? State.COMPLETE : State.BUILDING;
    }

    /** Begins a build. */
    public static void begin(Transaction tx, TypeKeys keys) {
        tx.set(keys.statusesPrefix(), BUILDING);
    }

    /** Removes all rows. */
    public static void drop(Transaction tx, TypeKeys keys) {
        tx.clear(keys.statusesPrefix());
        tx.clear(keys.statuses().range());
        tx.clear(keys.statusCounts().range());
    }

    /** {@return the last id that the build has passed; it conflicts with every other call that builds} */
    static CompletableFuture<String> builtUpTo(Transaction tx, TypeKeys keys) {
        return tx.get(keys.statuses().pack(BUILT_UP_TO))
                .thenApply(value -> value == null ? "" : new String(value, StandardCharsets.UTF_8));
    }

    static void builtUpTo(Transaction tx, TypeKeys keys, String last) {
        tx.set(keys.statuses().pack(BUILT_UP_TO), last.getBytes(StandardCharsets.UTF_8));
    }

    static void complete(Transaction tx, TypeKeys keys) {
        tx.set(keys.statusesPrefix(), COMPLETE);
        tx.clear(keys.statuses().pack(BUILT_UP_TO));
    }

    /** Changes the numbers of jobs. */
    static void count(Transaction tx, TypeKeys keys, long[] changes) {
        if (PackedCounters.isAny(changes)) {
            int shard = Math.floorMod(JobTransaction.shard(tx, keys.typeName()), SHARDS);
            tx.mutate(MutationType.ADD, keys.statusCounts().pack(shard), PackedCounters.encode(changes));
        }
    }

    /** {@return the exact number of jobs with each status that is stored} */
    public static CompletableFuture<Map<JobStatus, Long>> counts(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(keys.statusCounts().range()).asList().thenApply(rows -> {
            long[] sums =
                    PackedCounters.sum(rows.stream().map(KeyValue::getValue).toList(), StatusRow.STORED.size());
            Map<JobStatus, Long> counts = new EnumMap<>(JobStatus.class);
            StatusRow.STORED.forEach(status -> counts.put(status, sums[StatusRow.number(status)]));
            return counts;
        });
    }

    /** Shows the progress of a running job. */
    public static CompletableFuture<@Nullable Void> progress(Transaction tx, JobRef ref, JobRow row, byte[] progress) {
        return mayBeUsed(tx)
                ? stateWhileWriting(tx, ref.keys()).thenAccept(state -> {
                    if (state != State.NONE) {
                        tx.set(StatusRow.progressKey(StatusRow.key(ref, JobStatus.RUNNING, row)), progress);
                    }
                })
                : CompletableFuture.completedFuture(null);
    }

    static boolean mayBeUsed(Transaction tx) {
        return LayoutRow.mayUse(tx, Feature.STATUS_INDEX);
    }

    /**
     * A page of jobs.
     *
     * @param jobs the jobs
     * @param last the key of the last one, if more may follow
     */
    public record Lines(List<JobLine> jobs, Optional<byte[]> last) {}

    /** {@return whether a key is that of a place in the listing of a status} */
    public static boolean covers(TypeKeys keys, JobStatus status, byte[] key) {
        return ByteArrayUtil.startsWith(key, keys.statuses().pack(StatusRow.number(status)));
    }

    /**
     * {@return jobs with a status, read without conflicts}
     *
     * @param status a status that is stored
     * @param shown the status that they have, as their type is paused or not
     * @param after the key behind which to begin; empty for the first
     */
    public static CompletableFuture<Lines> list(
            ReadTransaction tx,
            TypeKeys keys,
            JobStatus status,
            JobStatus shown,
            Optional<byte[]> after,
            boolean isNewestFirst,
            int limit) {
        Range all = keys.statuses().get(StatusRow.number(status)).range();
        Range rest = after.map(
                        key -> isNewestFirst ? new Range(all.begin, key) : new Range(StatusRow.behind(key), all.end))
                .orElse(all);
        int rowsMax = status == JobStatus.RUNNING ? 2 * limit : limit; // a job that runs may have a row of progress
        return Quarantine.range(tx, keys, rest, rowsMax, isNewestFirst, row -> StatusRow.decode(keys, row))
                .thenApply(rows -> lines(keys, status, shown, rows, limit));
    }

    /** Joins the rows of each job, of which either may come first. */
    private static Lines lines(
            TypeKeys keys, JobStatus status, JobStatus shown, List<StatusRow.Stored> rows, int limit) {
        Map<String, JobProgress> progress = new HashMap<>();
        List<JobLine> lines = new ArrayList<>();
        byte[] last = null;
        for (StatusRow.Stored row : rows) {
            if (row.progress() != null) {
                progress.put(row.jobId(), row.progress());
            }
        }
        for (StatusRow.Stored row : rows) {
            if (row.value() != null && lines.size() < limit) {
                lines.add(row.line(row.value(), shown, progress.get(row.jobId())));
                last = StatusRow.key(new JobRef(keys, row.jobId()), status, row.order());
            }
        }
        return new Lines(lines, lines.size() < limit ? Optional.empty() : Optional.ofNullable(last));
    }
}
