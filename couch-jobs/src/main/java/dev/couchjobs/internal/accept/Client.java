package dev.couchjobs.internal.accept;

import java.util.List;

/** Somebody for whom jobs are claimed. */
interface Client<D> {

    /** Which jobs it wants, as of when it was last asked how many. */
    AcceptMode mode();

    /** How many he wants now; asked once at the beginning of every claim. */
    int wanted();

    /** Whether what he is given is all that he wants. */
    boolean isServedAtOnce();

    /** Gives him jobs, at most as many as he wanted. */
    void give(List<Claimed<D>> jobs, HandBack handBack);

    /** There is nothing left of what he wants; tells whether he does not want to wait for more. */
    boolean leavesWithNothing();

    /** He has been taken out, and is told that there is nothing. */
    void leave();

    /** The claim that he was waiting for is over, whether or not he was given anything. */
    void claimEnded();

    void fail(Throwable error);
}
