package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Verifies the order that the versions of the database claim: every transaction read the contents of its read version,
 * committed on those of its versionstamp, and none of this contradicts the clock.
 */
final class ClaimedOrder {

    private static final byte[] AFTER_ALL_OF_A_VERSION = {(byte) 0xff, (byte) 0xff};

    /** A transaction at its read version, or at its versionstamp. */
    private record Moment(ObservedTransaction transaction, boolean commits) {

        /** Reads see all the commits of their version. */
        Versionstamp place() {
            return commits
                    ? Objects.requireNonNull(transaction.claim().stamp())
                    : Versionstamp.complete(ByteBuffer.allocate(10)
                            .putLong(transaction.claim().readVersion())
                            .put(AFTER_ALL_OF_A_VERSION)
                            .array());
        }
    }

    private final List<String> violations = new ArrayList<>();

    private ClaimedOrder() {}

    /** What contradicts the claims, in words; the database is empty at first. */
    static List<String> violations(List<ObservedTransaction> history) {
        ClaimedOrder order = new ClaimedOrder();
        history.forEach(order::checkOutcome);
        order.replay(moments(history));
        return order.violations;
    }

    private static List<Moment> moments(List<ObservedTransaction> history) {
        List<Moment> moments = new ArrayList<>();
        for (ObservedTransaction transaction : history) {
            if (transaction.claim().readVersion() >= 0) {
                moments.add(new Moment(transaction, false));
            }
            if (transaction.claim().stamp() != null) {
                moments.add(new Moment(transaction, true));
            }
        }
        moments.sort(Comparator.comparing(Moment::place)
                .thenComparingLong(moment -> moment.transaction().invoked()));
        return moments;
    }

    private void checkOutcome(ObservedTransaction transaction) {
        boolean stamped = transaction.claim().stamp() != null;
        if (transaction.outcome() == Outcome.FAILED && stamped) {
            violations.add("left something behind although it failed: " + transaction);
        }
        if (transaction.outcome() == Outcome.COMMITTED && transaction.writes() && !stamped) {
            violations.add("left nothing behind although it committed: " + transaction);
        }
        if (stamped
                && transaction.claim().commitVersion() <= transaction.claim().readVersion()) {
            violations.add("committed before it read: " + transaction);
        }
    }

    private void replay(List<Moment> moments) {
        ObservedContents contents = ObservedContents.NONE;
        long latestBegin = 0;
        for (Moment moment : moments) {
            ObservedTransaction transaction = moment.transaction();
            if (transaction.completed() < latestBegin) {
                violations.add("was over before something began that comes before it: " + transaction);
            }
            latestBegin = Math.max(latestBegin, transaction.invoked());
            if (!moment.commits()) {
                if (!transaction.couldRead(contents)) {
                    violations.add("read what was not so at its read version, %s: %s".formatted(contents, transaction));
                }
                continue;
            }
            if (transaction.commitOn(contents) == null) {
                violations.add("committed on what it had not read, %s: %s".formatted(contents, transaction));
            }
            contents = transaction.writeOn(contents);
        }
    }
}
