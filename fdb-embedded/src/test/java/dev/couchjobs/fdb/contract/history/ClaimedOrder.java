package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.history.Attempt.Outcome;
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
    private record Moment(Attempt attempt, boolean commits) {

        /** Reads see all the commits of their version. */
        Versionstamp place() {
            return commits
                    ? Objects.requireNonNull(attempt.claim().stamp())
                    : Versionstamp.complete(ByteBuffer.allocate(10)
                            .putLong(attempt.claim().readVersion())
                            .put(AFTER_ALL_OF_A_VERSION)
                            .array());
        }
    }

    private final List<String> violations = new ArrayList<>();

    private ClaimedOrder() {}

    /** What contradicts the claims, in words; the database is empty at first. */
    static List<String> violations(List<Attempt> history) {
        ClaimedOrder order = new ClaimedOrder();
        history.forEach(order::checkOutcome);
        order.replay(moments(history));
        return order.violations;
    }

    private static List<Moment> moments(List<Attempt> history) {
        List<Moment> moments = new ArrayList<>();
        for (Attempt attempt : history) {
            if (attempt.claim().readVersion() >= 0) {
                moments.add(new Moment(attempt, false));
            }
            if (attempt.claim().stamp() != null) {
                moments.add(new Moment(attempt, true));
            }
        }
        moments.sort(Comparator.comparing(Moment::place)
                .thenComparingLong(moment -> moment.attempt().invoked()));
        return moments;
    }

    private void checkOutcome(Attempt attempt) {
        boolean stamped = attempt.claim().stamp() != null;
        if (attempt.outcome() == Outcome.FAILED && stamped) {
            violations.add("left something behind although it failed: " + attempt);
        }
        if (attempt.outcome() == Outcome.COMMITTED && attempt.writes() && !stamped) {
            violations.add("left nothing behind although it committed: " + attempt);
        }
        if (stamped && attempt.claim().commitVersion() <= attempt.claim().readVersion()) {
            violations.add("committed before it read: " + attempt);
        }
    }

    private void replay(List<Moment> moments) {
        Contents contents = Contents.NONE;
        long latestBegin = 0;
        for (Moment moment : moments) {
            Attempt attempt = moment.attempt();
            if (attempt.completed() < latestBegin) {
                violations.add("was over before something began that comes before it: " + attempt);
            }
            latestBegin = Math.max(latestBegin, attempt.invoked());
            if (!moment.commits()) {
                if (!attempt.couldRead(contents)) {
                    violations.add("read what was not so at its read version, %s: %s".formatted(contents, attempt));
                }
                continue;
            }
            if (attempt.commitOn(contents) == null) {
                violations.add("committed on what it had not read, %s: %s".formatted(contents, attempt));
            }
            contents = attempt.writeOn(contents);
        }
    }
}
