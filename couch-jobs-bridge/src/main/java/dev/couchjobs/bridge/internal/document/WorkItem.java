package dev.couchjobs.bridge.internal.document;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code WorkItem} document: one piece of work, to be done once, from a time on. Without what it is about, which is
 * in further fields of the document and for its handler to read. When the work is done the document is deleted.
 *
 * @param id the document's id
 * @param worker the kind of work, {@code worker} in the document
 * @param due from when on it may be done, {@code date} in the document; never before 1970
 * @param isClaimed whether a node works on it or has given it up
 * @param status what came of it last, if it did not succeed
 * @param claimedBy the node that has claimed it, if it is claimed and has said so
 * @param attempts how often it was tried and failed
 * @param reason why it failed last, for a person to act on
 */
public record WorkItem(
        String id,
        String worker,
        Instant due,
        boolean isClaimed,
        Optional<Status> status,
        Optional<String> claimedBy,
        int attempts,
        Optional<String> reason) {

    private static final String BEFORE_SAID = ": ";
    private static final String CUT = "...";

    /** The values of {@code status}. */
    public enum Status {
        /** It has failed and is to be tried again. */
        RETRY,
        /** It has failed for good. */
        FAIL
    }

    /** {@return a reason with as much of the end of what was said as there is place for} */
    public static String reason(String why, String said) {
        String end = said.strip();
        int left = DocumentLimits.REASON - why.length() - BEFORE_SAID.length();
        if (end.isEmpty() || left <= CUT.length()) {
            return DocumentLimits.reason(why);
        }
        if (end.length() > left) {
            int from = end.length() - left + CUT.length();
            end = CUT + end.substring(Character.isLowSurrogate(end.charAt(from)) ? from + 1 : from);
        }
        return why + BEFORE_SAID + end;
    }

    /** {@return whether it can be claimed, once it is due} */
    public boolean isOpen() {
        return !isClaimed && !hasFailed();
    }

    /** {@return whether it has failed for good} */
    public boolean hasFailed() {
        return status.equals(Optional.of(Status.FAIL));
    }

    /** {@return the same, claimed by a node} */
    public WorkItem claimed(String node) {
        return new WorkItem(id, worker, due, true, status, Optional.of(node), attempts, reason);
    }

    /** {@return the same, for any node to claim: the node that had claimed it has not tried, or is gone} */
    public WorkItem released() {
        return new WorkItem(id, worker, due, false, status, Optional.empty(), attempts, reason);
    }

    /** {@return the same after a try that failed, to be tried again} */
    public WorkItem retried(Instant newDue, String why) {
        return new WorkItem(
                id,
                worker,
                newDue,
                false,
                Optional.of(Status.RETRY),
                Optional.empty(),
                attempts + 1,
                Optional.of(DocumentLimits.reason(why)));
    }

    /** {@return the same after a try that failed for good; it stays claimed, so that no view offers it} */
    public WorkItem failed(String why) {
        return new WorkItem(
                id,
                worker,
                due,
                true,
                Optional.of(Status.FAIL),
                claimedBy,
                attempts + 1,
                Optional.of(DocumentLimits.reason(why)));
    }
}
