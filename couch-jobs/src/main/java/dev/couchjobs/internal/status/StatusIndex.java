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
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.quarantine.IndexCheck;
import dev.couchjobs.internal.quarantine.StaleRows;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.PackedCounters;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.RowKey;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TypeKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
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

    /** Jobs by status, and the progress of those that run. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return new Range(
                    StatusKeys.of(keys).statuses().get(0).range().begin,
                    StatusKeys.of(keys).statuses().range().end);
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return says(keys, row);
        }

        @Override
        public void clear(Transaction tx, TypeKeys keys, List<byte[]> stale) {
            StatusIndex.clear(tx, keys, stale);
        }
    };

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
        return tx.get(StatusKeys.of(keys).statusesPrefix()).thenApply(StatusIndex::decode);
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
        tx.set(StatusKeys.of(keys).statusesPrefix(), BUILDING);
    }

    /** Removes all rows. */
    public static void drop(Transaction tx, TypeKeys keys) {
        tx.clear(StatusKeys.of(keys).statusesPrefix());
        tx.clear(StatusKeys.of(keys).statuses().range());
        tx.clear(StatusKeys.of(keys).statusCounts().range());
    }

    /** {@return the last id that the build has passed; it conflicts with every other call that builds} */
    static CompletableFuture<String> builtUpTo(Transaction tx, TypeKeys keys) {
        return tx.get(StatusKeys.of(keys).statuses().pack(BUILT_UP_TO))
                .thenApply(value -> value == null ? "" : new String(value, StandardCharsets.UTF_8));
    }

    static void builtUpTo(Transaction tx, TypeKeys keys, String last) {
        tx.set(StatusKeys.of(keys).statuses().pack(BUILT_UP_TO), last.getBytes(StandardCharsets.UTF_8));
    }

    static void complete(Transaction tx, TypeKeys keys) {
        tx.set(StatusKeys.of(keys).statusesPrefix(), COMPLETE);
        tx.clear(StatusKeys.of(keys).statuses().pack(BUILT_UP_TO));
    }

    /** Changes the numbers of jobs. */
    static void count(Transaction tx, TypeKeys keys, long[] changes) {
        if (PackedCounters.isAny(changes)) {
            int shard = Math.floorMod(JobStore.shard(tx, keys.typeName()), SHARDS);
            tx.mutate(MutationType.ADD, StatusKeys.of(keys).statusCounts().pack(shard), PackedCounters.encode(changes));
        }
    }

    /** {@return the exact number of jobs with each status that is stored} */
    public static CompletableFuture<Map<JobStatus, Long>> counts(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(StatusKeys.of(keys).statusCounts().range()).asList().thenApply(rows -> {
            long[] sums =
                    PackedCounters.sum(rows.stream().map(KeyValue::getValue).toList(), StatusRow.STORED.size());
            Map<JobStatus, Long> counts = new EnumMap<>(JobStatus.class);
            StatusRow.STORED.forEach(status -> counts.put(status, sums[StatusRow.number(status)]));
            return counts;
        });
    }

    private static JobIndex.Statement says(TypeKeys keys, KeyValue row) {
        TupleReader path = StatusKeys.of(keys).readStatus(row.getKey());
        JobStatus status = StatusRow.STORED.get(path.readInt());
        long order = path.readLong();
        return new JobIndex.Statement(
                new JobRef(keys, path.readString()),
                job -> StatusRow.possible(job).contains(status) && StatusRow.order(status, job) == order);
    }

    /** Removes rows that are there and stale, and counts their jobs no more. */
    private static void clear(Transaction tx, TypeKeys keys, List<byte[]> stale) {
        long[] changes = new long[StatusRow.STORED.size()];
        for (byte[] key : stale) {
            TupleReader path = StatusKeys.of(keys).readStatus(key);
            int status = path.readInt();
            path.readLong();
            path.readString();
            if (!path.hasNext()) { // else it is the row of progress
                changes[status]--;
            }
            tx.clear(key);
        }
        count(tx, keys, changes);
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
     * @param last the key of the last row, if more may follow
     * @param stale the keys of the rows that are left out because they are stale
     */
    public record Lines(List<JobLine> jobs, Optional<byte[]> last, List<byte[]> stale) {}

    /** {@return whether a key is that of a place in the listing of a status} */
    public static boolean covers(TypeKeys keys, JobStatus status, byte[] key) {
        return ByteArrayUtil.startsWith(key, StatusKeys.of(keys).statuses().pack(StatusRow.number(status)));
    }

    /**
     * {@return jobs with a status, read without conflicts} While an {@link IndexCheck} is needed, stale rows are left
     * out.
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
        Range all = StatusKeys.of(keys).statuses().get(StatusRow.number(status)).range();
        Range rest = after.map(
                        key -> isNewestFirst ? new Range(all.begin, key) : new Range(StatusRow.behind(key), all.end))
                .orElse(all);
        int rowsMax = status == JobStatus.RUNNING ? 2 * limit : limit; // a job that runs may have a row of progress
        CompletableFuture<Boolean> mayHaveStaleRows = IndexCheck.isNeeded(tx, keys);
        return Quarantine.range(tx, keys, rest, rowsMax, isNewestFirst, row -> StatusRow.decode(keys, row))
                .thenCompose(rows -> mayHaveStaleRows
                        .thenCompose(mayHave -> mayHave
                                ? staleKeys(tx, keys, status, rows)
                                : CompletableFuture.completedFuture(List.of()))
                        .thenApply(stale -> lines(keys, status, shown, rows, stale, limit)));
    }

    private static CompletableFuture<List<byte[]>> staleKeys(
            ReadTransaction tx, TypeKeys keys, JobStatus status, List<StatusRow.Stored> rows) {
        List<KeyValue> ofJobs = rows.stream()
                .filter(row -> row.value() != null)
                .map(row ->
                        new KeyValue(StatusRow.key(new JobRef(keys, row.jobId()), status, row.order()), new byte[0]))
                .toList();
        return StaleRows.among(tx.snapshot(), keys, ROWS, ofJobs);
    }

    /** Joins the rows of each job, of which either may come first. */
    private static Lines lines(
            TypeKeys keys,
            JobStatus status,
            JobStatus shown,
            List<StatusRow.Stored> rows,
            List<byte[]> stale,
            int limit) {
        Set<RowKey> leftOut = stale.stream().map(RowKey::new).collect(Collectors.toSet());
        Map<String, JobProgress> progress = new HashMap<>();
        List<JobLine> lines = new ArrayList<>();
        int passed = 0;
        byte[] last = null;
        for (StatusRow.Stored row : rows) {
            if (row.progress() != null) {
                progress.put(row.jobId(), row.progress());
            }
        }
        for (StatusRow.Stored row : rows) {
            if (row.value() != null && passed < limit) {
                passed++;
                last = StatusRow.key(new JobRef(keys, row.jobId()), status, row.order());
                if (!leftOut.contains(new RowKey(last))) {
                    lines.add(row.line(row.value(), shown, progress.get(row.jobId())));
                }
            }
        }
        return new Lines(lines, passed < limit ? Optional.empty() : Optional.ofNullable(last), stale);
    }
}
