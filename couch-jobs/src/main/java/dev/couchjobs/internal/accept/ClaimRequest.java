package dev.couchjobs.internal.accept;

import java.util.List;
import java.util.Optional;

/** A request for jobs of one type: a call of {@code accept}, or a {@link ClaimConsumer}. */
interface ClaimRequest<D> {

    /** The criteria of the current claim, as of {@link #beginClaim}. */
    ClaimCriteria criteria();

    /**
     * Begins a claim for this request.
     *
     * @return the demand: how many jobs to claim at most
     */
    int beginClaim();

    /** {@return what the attempts name in place of the instance} */
    Optional<String> by();

    /** {@return the row of a call that claims once} */
    default Optional<CallRow> callRow() {
        return Optional.empty();
    }

    /** Whether the first delivery completes the request. */
    boolean isOneShot();

    /** Whether the request completes empty when there is no job, in place of waiting for one. */
    boolean isNonBlocking();

    /**
     * Delivers claimed jobs.
     *
     * @param jobs at least one job, and at most as many as the demand
     * @param prefetchMax how many jobs the caller may claim ahead of their start
     * @param claimReleaser releases a job that the caller no longer waits for
     */
    void deliver(List<GrantedClaim<D>> jobs, int prefetchMax, ClaimReleaser claimReleaser);

    /** Completes a non-blocking request without a job. */
    void completeEmpty();

    /** Ends the claim that {@link #beginClaim} began, whether or not it delivered jobs. */
    void claimEnded();

    void fail(Throwable error);
}
