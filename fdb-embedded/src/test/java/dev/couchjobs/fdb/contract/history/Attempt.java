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
 * @param steps its calls with their results; those of an attempt that failed early are incomplete
 * @param outcome how its commit ended
 * @param claim what the database says about its place among the others
 */
record Attempt(int thread, long invoked, long completed, List<Step> steps, Outcome outcome, Claim claim) {

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
        return steps.stream().anyMatch(Step::isWrite);
    }

    boolean isOneMoment() {
        return steps.stream().allMatch(Step::isSerializable);
    }

    /** Whether everything it read could have been read from one database with these contents. */
    boolean couldRead(Contents contents) {
        Contents view = contents;
        for (Step step : steps) {
            if (!step.holdsOn(view)) {
                return false;
            }
            view = step.applyTo(view);
        }
        return true;
    }

    /** What its commit makes of the contents; null if something that it read is no longer so. */
    @Nullable Contents commitOn(Contents contents) {
        Contents result = contents;
        for (Step step : steps) {
            if (step.isSerializable() && !step.holdsOn(result)) {
                return null;
            }
            result = step.applyTo(result);
        }
        return result;
    }

    /** What its writes make of the contents, whatever it read. */
    Contents writeOn(Contents contents) {
        Contents result = contents;
        for (Step step : steps) {
            result = step.applyTo(result);
        }
        return result;
    }

    @Override
    public String toString() {
        return "thread %d [%d, %d] %s %s %s".formatted(thread, invoked, completed, outcome, steps, claim);
    }
}
