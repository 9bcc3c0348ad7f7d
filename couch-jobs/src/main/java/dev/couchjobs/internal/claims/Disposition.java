package dev.couchjobs.internal.claims;

import dev.couchjobs.JobType;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a claim ends: as its holder asks, or because it expires. */
public sealed interface Disposition {
    /** How many causes of an error are looked at: a user's class may be its own cause. */
    int CAUSES_MAX = 10;

    /** The end of a claim whose attempt had no memory left, not even for the text of its error. */
    Released OUT_OF_MEMORY = new Released(ReleaseReason.OUT_OF_MEMORY, OutOfMemoryError.class.getName());

    /**
     * The attempt succeeded.
     *
     * @param result the result as JSON, see {@link PayloadCodec#encodeResult}, or empty if none is stored
     */
    record Succeeded(Optional<byte[]> result) implements Disposition {}

    /**
     * The attempt failed.
     *
     * @param error the text of the error, see {@link ErrorText}
     * @param again whether another attempt may succeed; the retry policy says whether one is left
     */
    record Failed(String error, boolean again) implements Disposition {
        public Failed {
            error = ErrorText.storable(error);
        }
    }

    /**
     * The job is to be attempted again later, without a failure.
     *
     * @param pause the time until the next attempt
     */
    record Snoozed(Duration pause) implements Disposition {
        public Snoozed {
            Durations.notNegative("pause", pause);
        }
    }

    /**
     * The job is cancelled.
     *
     * @param reason the reason of the cancellation
     */
    record Cancelled(String reason) implements Disposition {
        public Cancelled {
            reason = ErrorText.storable(reason);
        }
    }

    /** The claim is released before the work has begun: the job is as before the claim, which is no attempt. */
    record PutBack() implements Disposition {}

    /**
     * The claim is released after the work has begun. That is no failure, and is counted apart.
     *
     * @param reason why
     * @param error what went wrong, or null
     */
    record Released(ReleaseReason reason, @Nullable String error) implements Disposition {
        /** The processor shuts down. */
        public static final Released AT_SHUTDOWN = new Released(ReleaseReason.SHUTDOWN, null);
    }

    /** The lease was not renewed within the type's activity timeout; the activity monitor ends the claim. */
    record Expired() implements Disposition {}

    /** {@return the end of a claim whose handler threw an error} */
    static Disposition failed(JobType<?, ?> type, Throwable error) {
        Throwable thrown = RootCauses.innermost(error);
        boolean again = type.isRetried(thrown);
        return again ? failed(thrown, true) : new Failed(ErrorText.of(thrown), false);
    }

    /**
     * {@return the end of a claim whose handler, or a callback of whose attempt, threw an error} An
     * {@link OutOfMemoryError} is no failure: the process lacks memory, not the job.
     *
     * @param again whether another attempt may succeed
     */
    static Disposition failed(Throwable error, boolean again) {
        try {
            return isOutOfMemory(error)
                    ? new Released(ReleaseReason.OUT_OF_MEMORY, ErrorText.of(error))
                    : new Failed(ErrorText.of(error), again);
        } catch (OutOfMemoryError e) { // there is no memory for the text either
            return OUT_OF_MEMORY;
        }
    }

    private static boolean isOutOfMemory(Throwable error) {
        Throwable each = error;
        for (int depth = 0; depth < CAUSES_MAX && each != null; depth++) {
            if (each instanceof OutOfMemoryError) {
                return true;
            }
            each = RootCauses.cause(each);
        }
        return false;
    }
}
