package dev.couchjobs;

import java.util.Optional;

/**
 * What {@link Processor#updateAll} did for one claim.
 *
 * @param job the claim as it is now; the claim that was given if it is not renewed
 * @param halt why the claim is not renewed: it is lost or has ended; empty if it is renewed
 */
public record Renewal(Job<?> job, Optional<JobHaltedException> halt) {

    /** {@return whether the claim holds, with a new lease} */
    public boolean isRenewed() {
        return halt.isEmpty();
    }
}
