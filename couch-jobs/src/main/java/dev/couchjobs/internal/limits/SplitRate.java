package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * How many jobs a transaction may claim by the rate of a type.
 *
 * @param meters the meters of the parts of the rate
 * @param chosen the meter of the part that the transaction uses
 */
record SplitRate(List<RateMeter> meters, RateMeter chosen) {

    static SplitRate of(List<RateMeter> meters, Allowance.Home home) {
        int[] unused = meters.stream().mapToInt(RateMeter::available).toArray();
        return new SplitRate(meters, meters.get(Split.choose(home, unused)));
    }

    /** {@return how many jobs the transaction may claim} */
    int jobs() {
        return chosen.available();
    }

    /** {@return how many jobs may start now} */
    int unused() {
        return meters.stream().mapToInt(RateMeter::available).sum();
    }

    /** {@return how many jobs may start in a window, or at once} */
    int max() {
        return meters.stream().mapToInt(RateMeter::most).sum();
    }

    /** {@return whether all claims commit one after the other} */
    boolean isSerial() {
        return meters.size() == 1;
    }

    /** Writes that jobs start. */
    void start(Transaction tx, int jobs) {
        chosen.start(tx, jobs);
    }

    /** {@return when the next job may start, from the read version on, if none may start now} */
    Duration untilNext() {
        return meters.stream()
                .map(RateMeter::untilNext)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }
}
