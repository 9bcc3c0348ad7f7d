package dev.couchjobs.bridge.internal.document;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code WorkItem} document: one piece of work that is due at a time. Further fields of the document describe the
 * work for its handler. The document is deleted when the work is done.
 *
 * @param id the document's id
 * @param worker the kind of work, {@code worker} in the document
 * @param due the time from which it may be done, {@code date} in the document; not before 1970
 * @param isClaimed whether a node works on it or has given it up
 * @param status the last outcome, if it was not a success
 * @param claimedBy the node that has claimed it, if the document names one
 * @param attempts the number of failed tries
 * @param reason why the last try failed, with what a person can do
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
        /** The last try has failed, and another will follow. */
        RETRY,
        /** The item has failed for good. */
        FAIL
    }

    /** {@return a reason, followed by as much of the end of the output as the limit allows} */
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

    /** {@return whether it can be claimed once it is due} */
    public boolean isOpen() {
        return !isClaimed && !hasFailed();
    }

    /** {@return whether it has failed for good} */
    public boolean hasFailed() {
        return status.equals(Optional.of(Status.FAIL));
    }

    /** {@return this, claimed by a node} */
    public WorkItem claimed(String node) {
        return new WorkItem(id, worker, due, true, status, Optional.of(node), attempts, reason);
    }

    /** {@return this, not claimed: the node that had claimed it has not tried, or is lost} */
    public WorkItem released() {
        return new WorkItem(id, worker, due, false, status, Optional.empty(), attempts, reason);
    }

    /** {@return this after a failed try that another one follows} */
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

    /** {@return this after the last failed try} It stays claimed, so that no view lists it. */
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
