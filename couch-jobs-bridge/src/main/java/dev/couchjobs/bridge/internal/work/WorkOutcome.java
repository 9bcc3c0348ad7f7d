package dev.couchjobs.bridge.internal.work;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.transaction.WorkJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The outcome of a claim on a work item. The item's job stores it until the document contains it.
 *
 * @param kind the next state of the item
 * @param due when the item is tried again, in milliseconds since 1970
 * @param reason why it failed
 * @param generation the number of the claimed revision; 0 in outcomes of earlier versions of the bridge
 */
record WorkOutcome(Kind kind, long due, String reason, long generation) {
    /** The next state of an item. */
    enum Kind {
        /** There is no outcome. */
        OPEN,
        /** The work is done; the item is deleted. */
        DONE,
        /** The item is tried again. */
        RETRY,
        /** The item is given up. */
        FAIL
    }

    static final WorkOutcome OPEN = new WorkOutcome(Kind.OPEN, 0, "", 0);

    /** {@return the outcome that is stored with an item's job} */
    static CompletableFuture<WorkOutcome> kept(
            CouchJobs jobs, TransactionContext context, JobType<WorkJob, ?> type, String id) {
        return jobs.details()
                .lastCheckpoint(context, type, id)
                .thenApply(
                        last -> last.map(entry -> entry.as(WorkOutcome.class)).orElse(OPEN));
    }

    /** {@return the outcome of an action on an item} */
    static WorkOutcome of(ActionResult result, WorkItem item, WorkKind kind, Instant now) {
        if (result.success()) {
            return new WorkOutcome(Kind.DONE, 0, "", 0);
        }
        String reason = WorkItem.reason(result.reason().orElse("It has failed."), result.output());
        Optional<Duration> pause =
                result.isFinal() ? Optional.empty() : kind.retry().pauseAfter(item.attempts() + 1, Duration.ZERO);
        return pause.map(time -> again(item.retried(now.plus(longer(time, result.retryAfter())), reason)))
                .orElseGet(() -> failed(item, reason));
    }

    static WorkOutcome failed(WorkItem item, String reason) {
        return new WorkOutcome(Kind.FAIL, 0, item.failed(reason).reason().orElseThrow(), 0);
    }

    private static WorkOutcome again(WorkItem next) {
        return new WorkOutcome(
                Kind.RETRY, next.due().toEpochMilli(), next.reason().orElseThrow(), 0);
    }

    private static Duration longer(Duration pause, Optional<Duration> other) {
        return other.filter(least -> least.compareTo(pause) > 0).orElse(pause);
    }

    /** {@return this outcome for the claim in the given revision} */
    WorkOutcome of(long claimed) {
        return new WorkOutcome(kind, due, reason, claimed);
    }

    /** {@return whether it contains an outcome after which the work must not be repeated} */
    boolean isKept() {
        return kind != Kind.OPEN;
    }

    /** {@return the item with this outcome; empty if it is to be deleted} */
    Optional<WorkItem> of(WorkItem item) {
        return switch (kind) {
            case OPEN -> throw new IllegalStateException("There is nothing to write yet.");
            case DONE -> Optional.empty();
            case RETRY -> Optional.of(item.retried(Instant.ofEpochMilli(due), reason));
            case FAIL -> Optional.of(item.failed(reason));
        };
    }
}
