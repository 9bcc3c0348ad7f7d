package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as it was seen from outside.
 *
 * @param steps its calls with their results
 * @param readVersion the version it read at
 * @param stamp its versionstamp, null if it wrote nothing or did not commit
 * @param conflicted whether its commit failed with a conflict
 */
record Execution(
        List<Step> steps, long readVersion, @Nullable Versionstamp stamp, boolean conflicted) {

    /** A call and its result. */
    record Step(TransactionCall call, String result) {}

    /** Where a transaction that wrote stands in the order of commits. */
    Versionstamp position() {
        if (stamp == null) {
            throw new IllegalStateException("Not in the order of commits: " + this);
        }
        return stamp;
    }

    boolean isCommittedWriter() {
        return stamp != null;
    }

    long commitVersion() {
        return ByteBuffer.wrap(position().getTransactionVersion()).getLong();
    }

    boolean isBefore(Execution other) {
        return position().compareTo(other.position()) < 0;
    }

    /** What the transaction read and wrote, given the database that it read from. */
    ReadWriteSet footprint(Model database) {
        Model view = database.copy();
        ReadWriteSet accesses = new ReadWriteSet();
        for (Step step : steps) {
            step.call().trace(view, accesses);
            step.call().run(view);
        }
        return accesses;
    }

    /** Applies the writes to the database. */
    void applyTo(Model database) {
        for (Step step : steps) {
            if (step.call().isWrite()) {
                step.call().run(database);
            }
        }
    }
}
