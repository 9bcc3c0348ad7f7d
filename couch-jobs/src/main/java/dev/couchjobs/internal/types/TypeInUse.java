package dev.couchjobs.internal.types;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feed.FeedKeys;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A type whose jobs were recently enqueued or ran, and the lease of the process that monitors it (rfc/018). Each such
 * type has one row, and the rows of all types are adjacent.
 *
 * <p>The row of the type's timeout also says whether the type is in use, because every transaction that enqueues a job
 * reads that row anyway. A transaction that enqueues or starts a job brings the type into use, or conflicts with the
 * end of its use. The end of the use conflicts with every change of a job of the type, and happens only if no job runs
 * or may run. So the type of a running job is in use, and so is the type of a job that waits without a scheduled time.
 *
 * @param typeName the type
 * @param holder the token of the process that holds the monitor lease, if one does
 * @param timeout the activity timeout that the holder applies, if the holder has read it
 * @param renewedAt the read version at which the holder last renewed the lease
 * @param next the first waiting job, if there is a leader
 */
public record TypeInUse(
        String typeName, OptionalLong holder, Optional<Duration> timeout, long renewedAt, Optional<NextJob> next) {
    private static final int NO_USER_VERSION = 0;
    private static final int FIELDS_WITHOUT_NEXT = 3;

    /**
     * A job that waits.
     *
     * @param leader the token of the leader (rfc/017)
     * @param jobId the job
     * @param scheduledTime when it may run, in seconds since the epoch; 0 for at once
     */
    public record NextJob(long leader, String jobId, long scheduledTime) {
        private static NextJob decode(Tuple row) {
            return new NextJob(
                    row.getLong(FIELDS_WITHOUT_NEXT),
                    row.getString(FIELDS_WITHOUT_NEXT + 1),
                    row.getLong(FIELDS_WITHOUT_NEXT + 2));
        }
    }

    private static TypeInUse ofNone(String typeName) {
        return new TypeInUse(typeName, OptionalLong.empty(), Optional.empty(), 0, Optional.empty());
    }

    /** {@return the first types in use, or the next ones after a type; read without conflicts} */
    public static CompletableFuture<List<TypeInUse>> list(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        return Quarantine.range(
                tx.snapshot(),
                inUse(keyspace, after),
                limit,
                false,
                row -> Quarantine.typeName(
                                row.getKey(),
                                key -> Keyspace.typeName(rows(keyspace).unpack(key), 0))
                        .flatMap(type ->
                                Quarantine.readable(tx, keyspace.type(type), row, bytes -> decode(type, bytes))));
    }

    /** {@return the row of a type, if it is in use} */
    public static CompletableFuture<Optional<TypeInUse>> find(ReadTransaction tx, TypeKeys keys) {
        return tx.get(TypeUseKeys.of(keys).inUse())
                .thenApply(value -> Optional.ofNullable(value)
                        .flatMap(bytes -> Quarantine.readable(
                                tx,
                                keys,
                                new KeyValue(TypeUseKeys.of(keys).inUse(), bytes),
                                row -> decode(keys.typeName(), row))));
    }

    private static TypeInUse decode(String typeName, KeyValue row) {
        Tuple value = Tuple.fromBytes(row.getValue());
        Optional<Duration> timeout =
                value.getLong(1) == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(value.getLong(1)));
        timeout.ifPresent(TypeTimeouts::check);
        return new TypeInUse(
                typeName,
                value.get(0) == null ? OptionalLong.empty() : OptionalLong.of(value.getLong(0)),
                timeout,
                value.getLong(2),
                value.size() > FIELDS_WITHOUT_NEXT ? Optional.of(NextJob.decode(value)) : Optional.empty());
    }

    /**
     * Starts the read of {@link #bringIntoUse} for a type in parallel with other reads, so that it needs no further
     * round trip.
     */
    public static CompletableFuture<?> prefetch(ReadTransaction tx, TypeKeys keys) {
        return TypeTimeouts.rowIfReadable(tx, keys);
    }

    /** Brings the types into use whose jobs a transaction has enqueued, started or admitted. */
    public static CompletableFuture<?> bringIntoUse(Transaction tx, List<SavedChange> changes) {
        Set<TypeKeys> used = new LinkedHashSet<>(AdmittedTypes.take(tx));
        for (SavedChange change : changes) {
            if (begins(change)) {
                used.add(change.ref().keys());
            }
        }
        return used.isEmpty()
                ? CompletableFuture.completedFuture(used)
                : Futures.allOf(
                        used.stream().map(keys -> bringIntoUse(tx, keys)).toList());
    }

    /** {@return whether a type may come into use by a change: if one of its jobs ran or waited, it is in use} */
    private static boolean begins(SavedChange change) {
        JobRow before = change.indexed();
        JobRow after = change.after();
        return after != null
                && keepsInUse(after)
                && !(before != null && keepsInUse(before) && isSureToKeepInUse(before));
    }

    private static boolean keepsInUse(JobRow job) {
        return Standing.of(job).match(blocked -> false, later -> true, due -> true, running -> true, ended -> false);
    }

    /** A type may have gone out of use while a job waited for its scheduled time. */
    private static boolean isSureToKeepInUse(JobRow job) {
        return job.state() == JobState.RUNNING || job.scheduledTime() == 0;
    }

    /**
     * Ignores a type without a timeout: its jobs do not expire. Ignores a damaged timeout too: it must not prevent the
     * ends of jobs of other types.
     */
    private static CompletableFuture<?> bringIntoUse(Transaction tx, TypeKeys keys) {
        return TypeTimeouts.rowIfReadable(tx, keys)
                .thenAccept(timeoutRow -> timeoutRow.ifPresent(row -> {
                    if (row.isInUse()) {
                        tx.addReadConflictKey(keys.row("activity_timeout"));
                    } else {
                        startUse(tx, keys, row);
                    }
                }));
    }

    /** Wakes the processes that watch for types. */
    static void tellOfNewType(Transaction tx, TypeKeys keys) {
        IncompleteVersionstamps.touch(tx, TypeUseKeys.of(keys).watchesInUse(), NO_USER_VERSION);
    }

    /**
     * Removes the timeout that the holder of the lease applies, because the type gets another one, and wakes all
     * processes at rest: they read the new one. Older code watches for types only.
     */
    static CompletableFuture<Void> tellOfTimeout(Transaction tx, TypeKeys keys) {
        return find(tx, keys).thenAccept(use -> {
            use.ifPresent(row ->
                    new TypeInUse(row.typeName, row.holder, Optional.empty(), row.renewedAt, row.next).write(tx, keys));
            tellOfNewType(tx, keys);
            IncompleteVersionstamps.touch(tx, TypeUseKeys.of(keys).watchesSettings(), NO_USER_VERSION);
        });
    }

    private static void startUse(Transaction tx, TypeKeys keys, TypeTimeouts.Row row) {
        TypeTimeouts.conflictWithChanges(tx, keys);
        TypeTimeouts.write(tx, keys, new TypeTimeouts.Row(row.timeout(), true));
        ofNone(keys.typeName()).write(tx, keys);
        tellOfNewType(tx, keys);
    }

    /**
     * Brings a type into use whose jobs run or may run.
     *
     * @return whether one of its rows said that it was not in use
     */
    public static CompletableFuture<Boolean> repair(Transaction tx, TypeKeys keys) {
        return find(tx, keys).thenCombine(TypeTimeouts.rowIfReadable(tx, keys), (use, timeoutRow) -> {
            Optional<TypeTimeouts.Row> unused = timeoutRow.filter(row -> use.isEmpty() || !row.isInUse());
            unused.ifPresent(row -> startUse(tx, keys, row));
            return unused.isPresent();
        });
    }

    /** Writes this row. */
    public void write(Transaction tx, TypeKeys keys) {
        long seconds = timeout.map(Duration::toSeconds).orElse(0L);
        Tuple value = Tuple.from(holder.isPresent() ? holder.getAsLong() : null, seconds, renewedAt);
        tx.set(
                TypeUseKeys.of(keys).inUse(),
                next.map(job -> value.add(job.leader).add(job.jobId).add(job.scheduledTime))
                        .orElse(value)
                        .pack());
    }

    /** Ends the use of a type; conflicts with changes of its jobs or its timeout. */
    public static CompletableFuture<?> end(Transaction tx, TypeKeys keys) {
        tx.clear(TypeUseKeys.of(keys).inUse());
        tx.addReadConflictKey(FeedKeys.of(keys).watchesActivity());
        tx.addReadConflictKey(keys.row("activity_timeout"));
        return TypeTimeouts.row(tx, keys)
                .thenAccept(timeoutRow -> timeoutRow.ifPresent(
                        row -> TypeTimeouts.write(tx, keys, new TypeTimeouts.Row(row.timeout(), false))));
    }

    private static Subspace rows(Keyspace keyspace) {
        return keyspace.table("in_use");
    }

    /** {@return the range of the types after a type, or of all} */
    private static Range inUse(Keyspace keyspace, Optional<String> after) {
        Subspace rows = rows(keyspace);
        return new Range(after.map(type -> rows.get(type).range().end).orElse(rows.range().begin), rows.range().end);
    }
}
