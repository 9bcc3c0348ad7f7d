package dev.couchjobs.internal.claims;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Durations;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** How a claim ends: as its holder asks, or because it expires. */
public sealed interface Disposition {
    /** How many wrappers of futures a handler's error may have. */
    int WRAPPERS_MAX = 10;

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

    /**
     * The claim is released: the job is pending as before the claim.
     *
     * @param started whether the work on it had begun; if not, the claim is no attempt
     */
    record Released(boolean started) implements Disposition {}

    /** The lease was not renewed within the type's activity timeout; the activity monitor ends the claim. */
    record Expired() implements Disposition {}

    /** {@return the end of a claim whose handler threw an error} */
    static Disposition failed(JobType<?, ?> type, Throwable error) {
        Throwable thrown = error;
        // Bounded, because a user's class may be its own cause.
        for (int depth = 0; depth < WRAPPERS_MAX && isWrapper(thrown) && thrown.getCause() != null; depth++) {
            thrown = thrown.getCause();
        }
        return new Failed(ErrorText.of(thrown), type.isRetried(thrown));
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException || error instanceof ExecutionException;
    }
}
