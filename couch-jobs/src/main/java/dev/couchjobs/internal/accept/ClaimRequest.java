package dev.couchjobs.internal.accept;

import java.util.List;

/** A consumer for which jobs are claimed. */
interface ClaimRequest<D> {

    /** Which jobs it wants, as of when it was last asked how many. */
    ClaimCriteria criteria();

    /** How many it wants now; asked once at the beginning of every claim. */
    int wanted();

    /** Whether what it is given is all that it wants. */
    boolean isServedAtOnce();

    /** Gives it jobs, at most as many as it wanted. */
    void give(List<GrantedClaim<D>> jobs, ClaimReleaser claimReleaser);

    /** Nothing is left of what it wants; returns whether it does not wait for more. */
    boolean leavesWithNothing();

    /** It has been taken out, since there is nothing. */
    void leave();

    /** The claim that it was waiting for is over, whether or not it was given anything. */
    void claimEnded();

    void fail(Throwable error);
}
