package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The row of a sequence: its current job, which alone may run, and the numbers of the jobs behind it. Each transaction
 * that changes the sequence reads and writes the row, so it needs no conflict with the rows of the jobs behind.
 *
 * @param current the id of the current job
 * @param first the number of the first job behind it
 * @param end the number after that of the last job behind it
 */
public record SequenceRow(String current, long first, long end) {
    /** {@return a sequence of one job} */
    public static SequenceRow of(String current) {
        return new SequenceRow(current, 0, 0);
    }

    /** Starts the read that the end of a verb needs, so that it needs no further round trip. */
    public static void prefetch(Transaction tx, SequenceKey key) {
        var unused = tx.snapshot().get(key.row());
    }

    /** Starts the reads that the end of the current job needs. */
    public static void prefetchWaiters(Transaction tx, SequenceKey key, int limit) {
        var unusedWaiters = tx.snapshot()
                .getRange(key.type().sequenceQueue(key.name()), limit)
                .asList();
        var unusedType = TypeInUse.prefetch(tx, key.type());
    }

    /** {@return the row of a sequence; empty if no job is in it, or the row is damaged} */
    public static CompletableFuture<Optional<SequenceRow>> read(Transaction tx, SequenceKey key) {
        return tx.get(key.row())
                .thenApply(value -> Quarantine.readable(tx, key.type(), key.row(), value, SequenceRow::decode));
    }

    private static SequenceRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        String current = row.getString(0);
        Keyspace.checkJobId(current);
        return new SequenceRow(current, row.getLong(1), row.getLong(2));
    }

    /** Writes the row. */
    public void write(Transaction tx, SequenceKey key) {
        tx.set(key.row(), Tuple.from(current, first, end).pack());
    }

    /** Puts a job behind the last. */
    public void append(Transaction tx, SequenceKey key, JobRef job, SequencePlace place) {
        tx.set(
                key.type().sequenceQueue(key.name(), end),
                Tuple.from(job.id(), place.token()).pack());
        new SequenceRow(current, first, end + 1).write(tx, key);
    }

    /**
     * A job behind the current one.
     *
     * @param number its number
     * @param ref the job
     * @param token the token of its place
     */
    public record Waiter(long number, JobRef ref, long token) {
        /** {@return whether a job still has this place} */
        public boolean isHeldBy(JobRow job, SequenceKey key) {
            SequencePlace place = SequenceChange.place(job);
            return place != null && place.token() == token && place.name().equals(key.name());
        }
    }

    /** {@return the first jobs behind the current one; damaged rows are left out} */
    public CompletableFuture<List<Waiter>> waiters(ReadTransaction tx, SequenceKey key, int limit) {
        if (first == end) {
            return CompletableFuture.completedFuture(List.of());
        }
        TypeKeys type = key.type();
        Range range = new Range(type.sequenceQueue(key.name(), first), type.sequenceQueue(key.name(), end));
        return Quarantine.range(tx, type, range, limit, false, row -> {
            Tuple waiter = Tuple.fromBytes(row.getValue());
            String jobId = waiter.getString(0);
            Keyspace.checkJobId(jobId);
            return new Waiter(type.numberInSequence(row.getKey()), new JobRef(type, jobId), waiter.getLong(1));
        });
    }

    /** Makes a job that waits the current one, and removes those before it. */
    public void passTo(Transaction tx, SequenceKey key, Waiter next) {
        clear(tx, key, next.number() + 1);
        new SequenceRow(next.ref().id(), next.number() + 1, end).write(tx, key);
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
            tx.clear(key.type().sequenceQueue(key.name(), first), key.type().sequenceQueue(key.name(), to));
        }
    }
}
