package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as it was seen from outside, from its first call to its end.
 *
 * @param thread which ran it, and ran no other at the same time
 * @param invoked the tick before its first call
 * @param completed the tick after its outcome was known
 * @param calls its calls with their results; those of an attempt that failed early are incomplete
 * @param outcome how its commit ended
 * @param claim what the database says about its place among the others
 */
record ObservedTransaction(
        int thread, long invoked, long completed, List<RecordedCall> calls, Outcome outcome, Claim claim) {

    enum Outcome {
        COMMITTED,
        FAILED,
        UNKNOWN
    }

    /**
     * @param readVersion at which it read, or minus one if it did not
     * @param stamp under which it committed; null if it did not, or wrote nothing
     */
    record Claim(long readVersion, @Nullable Versionstamp stamp) {

        long commitVersion() {
            return stamp == null
                    ? -1
                    : ByteBuffer.wrap(stamp.getTransactionVersion()).getLong();
        }
    }

    boolean writes() {
        return calls.stream().anyMatch(RecordedCall::isWrite);
    }

    boolean isOneMoment() {
        return calls.stream().allMatch(RecordedCall::isSerializable);
    }

    /** Whether everything it read could have been read from one database with these contents. */
    boolean couldRead(ObservedContents contents) {
        ObservedContents view = contents;
        for (RecordedCall call : calls) {
            if (!call.holdsOn(view)) {
                return false;
            }
            view = call.applyTo(view);
        }
        return true;
    }

    /** What its commit makes of the contents; null if something that it read is no longer so. */
    @Nullable ObservedContents commitOn(ObservedContents contents) {
        ObservedContents result = contents;
        for (RecordedCall call : calls) {
            if (call.isSerializable() && !call.holdsOn(result)) {
                return null;
            }
            result = call.applyTo(result);
        }
        return result;
    }

    /** What its writes make of the contents, whatever it read. */
    ObservedContents writeOn(ObservedContents contents) {
        ObservedContents result = contents;
        for (RecordedCall call : calls) {
            result = call.applyTo(result);
        }
        return result;
    }

    @Override
    public String toString() {
        return "thread %d [%d, %d] %s %s %s".formatted(thread, invoked, completed, outcome, calls, claim);
    }
}
