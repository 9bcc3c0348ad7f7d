package dev.couchjobs.internal.sequences;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.types.TypeInUse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The row of a sequence: its current job, which alone may run, and the numbers of the jobs behind it. Each transaction
 * that changes the sequence reads and writes the row, so it needs no conflict with the rows of the jobs behind.
 *
 * @param current the id of the current job; {@link #UNKNOWN} if the row was damaged
 * @param first the number of the first job behind it
 * @param end the number after that of the last job behind it
 */
public record SequenceRow(String current, long first, long end) {
    private static final String UNKNOWN = "";

    /** Writes the row of a sequence of one job. */
    public static SequenceRow begin(Transaction tx, SequenceKey key, JobRef current) {
        return new SequenceRow(current.id(), 0, 0).written(tx, key);
    }

    /** Starts the read that the end of a verb needs, so that it needs no further round trip. */
    public static void prefetch(Transaction tx, SequenceKey key) {
        var unused = tx.snapshot().get(key.row());
    }

    /** Starts the reads that the end of the current job needs. */
    public static void prefetchWaiters(Transaction tx, SequenceKey key, int limit) {
        var unusedWaiters = tx.snapshot()
                .getRange(SequenceKeys.of(key.type()).sequenceQueue(key.name()), limit)
                .asList();
        var unusedType = TypeInUse.prefetch(tx, key.type());
    }

    /** {@return the row of a sequence; empty if no job is in it} */
    public static CompletableFuture<Optional<SequenceRow>> read(Transaction tx, SequenceKey key) {
        return tx.get(key.row()).thenCompose(value -> {
            Optional<SequenceRow> row = Quarantine.readable(tx, key.type(), key.row(), value, SequenceRow::decode);
            return value == null || row.isPresent() ? CompletableFuture.completedFuture(row) : restored(tx, key);
        });
    }

    private static SequenceRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new SequenceRow(row.getString(0), row.getLong(1), row.getLong(2));
    }

    /** {@return a damaged row with the numbers of the jobs behind the current one; empty if there are none} */
    private static CompletableFuture<Optional<SequenceRow>> restored(Transaction tx, SequenceKey key) {
        Range all = SequenceKeys.of(key.type()).sequenceQueue(key.name());
        return tx.getRange(all, 1)
                .asList()
                .thenCombine(
                        tx.getRange(all, 1, true).asList(),
                        (first, last) -> first.isEmpty()
                                ? Optional.empty()
                                : Optional.of(new SequenceRow(UNKNOWN, number(key, first), number(key, last) + 1)));
    }

    private static long number(SequenceKey key, List<KeyValue> rows) {
        return SequenceKeys.of(key.type()).numberInSequence(rows.get(0).getKey());
    }

    private SequenceRow written(Transaction tx, SequenceKey key) {
        tx.set(key.row(), Tuple.from(current, first, end).pack());
        return this;
    }

    /** {@return whether a job is the current one} */
    public boolean isCurrent(JobRef job) {
        return current.equals(job.id());
    }

    /** {@return whether a job that leaves the sequence was the current one; another may have become current since} */
    public boolean wasCurrent(SequenceChange left) {
        return isCurrent(left.ref()) || (current.equals(UNKNOWN) && !left.wasHeld());
    }

    /** {@return the current job, if it is known} */
    public Optional<JobRef> currentOf(SequenceKey key) {
        return current.equals(UNKNOWN) ? Optional.empty() : Optional.of(new JobRef(key.type(), current));
    }

    /** Puts a job behind the last. {@return the row after that} */
    public SequenceRow append(Transaction tx, SequenceKey key, JobRef job, SequencePlace place) {
        tx.set(
                SequenceKeys.of(key.type()).sequenceQueue(key.name(), end),
                Tuple.from(job.id(), place.token()).pack());
        return new SequenceRow(current, first, end + 1).written(tx, key);
    }

    /**
     * A job behind the current one.
     *
     * @param number its number
     * @param ref the job
     * @param token the token of its place; the job has the place only if it still has the token
     */
    public record Waiter(long number, JobRef ref, long token) {}

    /** {@return the first jobs behind the current one; damaged rows are left out} */
    public CompletableFuture<List<Waiter>> waiters(ReadTransaction tx, SequenceKey key, int limit) {
        if (first == end) {
            return CompletableFuture.completedFuture(List.of());
        }
        TypeKeys type = key.type();
        Range range = new Range(
                SequenceKeys.of(type).sequenceQueue(key.name(), first),
                SequenceKeys.of(type).sequenceQueue(key.name(), end));
        return Quarantine.range(tx, type, range, limit, false, row -> {
            Tuple waiter = Tuple.fromBytes(row.getValue());
            String jobId = waiter.getString(0);
            Keyspace.checkJobId(jobId);
            return new Waiter(
                    SequenceKeys.of(type).numberInSequence(row.getKey()), new JobRef(type, jobId), waiter.getLong(1));
        });
    }

    /** How many places of a sequence are looked through for that of a job. */
    private static final int PLACES_MAX = 1_000;

    /** {@return whether a job that is in a sequence has a place there: it is the current one, or is behind it} */
    public static CompletableFuture<Boolean> isThere(ReadTransaction tx, JobRef ref, JobRow job) {
        SequencePlace place = SequencePlace.of(job);
        if (place == null || !place.held()) {
            return CompletableFuture.completedFuture(true);
        }
        SequenceKeys keys = SequenceKeys.of(ref.keys());
        return tx.getRange(keys.sequenceQueue(place.name()), PLACES_MAX)
                .asList()
                .thenCombine(
                        tx.get(new SequenceKey(ref.keys(), place.name()).row()),
                        (rows, row) -> rows.size() == PLACES_MAX
                                || rows.stream().anyMatch(each -> isPlace(each, ref.id(), place.token()))
                                || isCurrent(row, ref.id()));
    }

    private static boolean isPlace(KeyValue row, String jobId, long token) {
        return Quarantine.readableOrLogged(row, each -> Tuple.fromBytes(each.getValue()))
                .filter(waiter -> waiter.getString(0).equals(jobId) && waiter.getLong(1) == token)
                .isPresent();
    }

    private static boolean isCurrent(byte @Nullable [] row, String jobId) {
        return row != null
                && Quarantine.readableOrLogged(new KeyValue(row, row), each -> decode(row))
                        .filter(found -> found.current().equals(jobId))
                        .isPresent();
    }

    /** Makes a job that waits the current one, and removes those before it. {@return the row after that} */
    public SequenceRow passTo(Transaction tx, SequenceKey key, Waiter next) {
        clear(tx, key, next.number() + 1);
        return new SequenceRow(next.ref().id(), next.number() + 1, end).written(tx, key);
    }

    /** {@return the row without the jobs up to one that no longer waits} */
    public SequenceRow behind(Transaction tx, SequenceKey key, Waiter gone) {
        clear(tx, key, gone.number() + 1);
        return new SequenceRow(current, gone.number() + 1, end);
    }

    /** Ends the sequence, as no job is left. */
    public void end(Transaction tx, SequenceKey key) {
        clear(tx, key, end);
        tx.clear(key.row());
    }

    private void clear(Transaction tx, SequenceKey key, long to) {
        if (first < to) {
            tx.clear(
                    SequenceKeys.of(key.type()).sequenceQueue(key.name(), first),
                    SequenceKeys.of(key.type()).sequenceQueue(key.name(), to));
        }
    }
}
