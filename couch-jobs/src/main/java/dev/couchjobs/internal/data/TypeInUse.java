package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A type of which jobs were recently enqueued or ran, and the lease of the process that monitors it (rfc/018). There is
 * one row for each such type, and the rows of all types stand side by side.
 *
 * <p>The row of the type's timeout says so too, since what enqueues a job reads that one anyway. A transaction by which
 * a job comes to wait or to run brings the type into use, or conflicts with the end of its use. The end conflicts with
 * every change of a job of the type, and finds no job that runs, and none that may. So a job that runs is of a type in
 * use, and so is one that waits without a scheduled time.
 *
 * @param typeName the type
 * @param holder the token of the process that holds the monitor lease, if one does
 * @param timeout the activity timeout by which the holder monitors, if that is known
 * @param renewedAt the read version at which the holder last renewed the lease
 * @param next a job that waits, if a process leads those that wait for jobs
 */
public record TypeInUse(
        String typeName, OptionalLong holder, Optional<Duration> timeout, long renewedAt, Optional<NextJob> next) {
    private static final int NO_USER_VERSION = 0;
    private static final int FIELDS_WITHOUT_NEXT = 3;

    /**
     * A job that waits.
     *
     * @param leader the token of the process that leads those that wait for jobs (rfc/017)
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

    /** {@return some types in use behind one, or the first; read without conflicts} */
    public static CompletableFuture<List<TypeInUse>> list(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        return Quarantine.range(
                tx.snapshot(),
                keyspace.inUse(after),
                limit,
                false,
                row -> Quarantine.typeName(row.getKey(), keyspace::typeInUse)
                        .flatMap(type ->
                                Quarantine.readable(tx, keyspace.type(type), row, bytes -> decode(type, bytes))));
    }

    /** {@return the row of a type, if it is in use} */
    public static CompletableFuture<Optional<TypeInUse>> find(Transaction tx, TypeKeys keys) {
        return tx.get(keys.inUse())
                .thenApply(value -> Optional.ofNullable(value)
                        .flatMap(bytes -> Quarantine.readable(
                                tx, keys, new KeyValue(keys.inUse(), bytes), row -> decode(keys.typeName(), row))));
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
     * Reads what {@link #settle} needs to know of a type beside whatever else is read, so that it waits for no answer.
     */
    public static CompletableFuture<?> prefetch(ReadTransaction tx, TypeKeys keys) {
        return TypeTimeouts.rowIfReadable(tx, keys);
    }

    /** Brings the types into use of which jobs have come to wait or to run in this transaction. */
    public static CompletableFuture<Void> settle(Transaction tx) {
        return CompletableFuture.allOf(TransactionScope.takeUsed(tx).stream()
                .map(keys -> settle(tx, keys))
                .toArray(CompletableFuture<?>[]::new));
    }

    /**
     * A type without a timeout is not in use: none of its jobs can be silent. One whose timeout is damaged counts as
     * such: it must not keep jobs of other types from ending.
     */
    private static CompletableFuture<?> settle(Transaction tx, TypeKeys keys) {
        return TypeTimeouts.rowIfReadable(tx, keys)
                .thenAccept(found -> found.ifPresent(row -> {
                    if (row.isInUse()) {
                        tx.addReadConflictKey(keys.activityTimeout());
                    } else {
                        begin(tx, keys, row);
                    }
                }));
    }

    private static void begin(Transaction tx, TypeKeys keys, TypeTimeouts.Row row) {
        TypeTimeouts.conflictWithChanges(tx, keys);
        TypeTimeouts.write(tx, keys, new TypeTimeouts.Row(row.timeout(), true));
        ofNone(keys.typeName()).write(tx, keys);
        IncompleteVersionstamps.touch(tx, keys.watchesInUse(), NO_USER_VERSION);
    }

    /**
     * Brings a type into use of which jobs run or may run.
     *
     * @return whether it was not in use, or not in all its rows
     */
    public static CompletableFuture<Boolean> repair(Transaction tx, TypeKeys keys) {
        return find(tx, keys).thenCombine(TypeTimeouts.rowIfReadable(tx, keys), (use, found) -> {
            Optional<TypeTimeouts.Row> unused = found.filter(row -> use.isEmpty() || !row.isInUse());
            unused.ifPresent(row -> begin(tx, keys, row));
            return unused.isPresent();
        });
    }

    /** Writes this in the place of what is there. */
    public void write(Transaction tx, TypeKeys keys) {
        long seconds = timeout.map(Duration::toSeconds).orElse(0L);
        Tuple value = Tuple.from(holder.isPresent() ? holder.getAsLong() : null, seconds, renewedAt);
        tx.set(
                keys.inUse(),
                next.map(job -> value.add(job.leader).add(job.jobId).add(job.scheduledTime))
                        .orElse(value)
                        .pack());
    }

    /** A type is in use no more, unless something happens to its jobs or its timeout meanwhile. */
    public static CompletableFuture<?> end(Transaction tx, TypeKeys keys) {
        tx.clear(keys.inUse());
        tx.addReadConflictKey(keys.watchesActivity());
        tx.addReadConflictKey(keys.activityTimeout());
        return TypeTimeouts.row(tx, keys)
                .thenAccept(found -> found.ifPresent(
                        row -> TypeTimeouts.write(tx, keys, new TypeTimeouts.Row(row.timeout(), false))));
    }
}
