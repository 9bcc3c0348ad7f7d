package dev.couchjobs.internal.claims;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** How a claim ends: as its holder asks for, or because the holder went silent. */
public sealed interface Disposition {

    /**
     * The work is done.
     *
     * @param result what came of it as JSON, see {@link PayloadCodec#encodeResult}, or empty if nothing is to be kept
     */
    record Succeeded(Optional<byte[]> result) implements Disposition {}

    /**
     * The attempt failed.
     *
     * @param error what went wrong, see {@link ErrorText}
     * @param again whether another attempt may mend it; whether there is one left is for the retry policy to say
     */
    record Failed(String error, boolean again) implements Disposition {
        public Failed {
            error = ErrorText.storable(error);
        }
    }

    /**
     * The job is to be attempted again later, without a failure.
     *
     * @param pause for how long it rests
     */
    record Snoozed(Duration pause) implements Disposition {
        private static final Duration LONGEST = Duration.ofDays(36_500);

        public Snoozed {
            if (pause.isNegative() || pause.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "A job is snoozed for zero to " + LONGEST.toDays() + " days; this is " + pause + ".");
            }
        }
    }

    /**
     * The job is given up on purpose.
     *
     * @param reason why
     */
    record Cancelled(String reason) implements Disposition {
        public Cancelled {
            reason = ErrorText.storable(reason);
        }
    }

    /**
     * The job goes back as if it had not been claimed.
     *
     * @param started whether the work on it had begun; if not, the claim is no attempt
     */
    record Released(boolean started) implements Disposition {}

    /** The holder was silent for longer than the type's activity timeout; the monitor ends the claim. */
    record Expired() implements Disposition {}

    /** {@return the end of a claim whose handler threw an error} */
    static Disposition failed(JobType<?, ?> type, Throwable error) {
        Throwable thrown = error;
        while ((thrown instanceof CompletionException || thrown instanceof ExecutionException)
                && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return new Failed(ErrorText.of(thrown), type.isRetried(thrown));
    }
}
