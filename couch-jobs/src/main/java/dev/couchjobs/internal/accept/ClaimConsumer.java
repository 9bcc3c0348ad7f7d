package dev.couchjobs.internal.accept;

import java.util.List;

/**
 * A consumer that goes on taking jobs of one type, as many at once as there is room for.
 *
 * @param <D> the type of the jobs' data
 */
public interface ClaimConsumer<D> {

    /**
     * What to claim now.
     *
     * @param jobs how many; zero is nothing, until {@link ClaimSubscription#demandChanged}
     * @param isFree whether so many jobs can begin at once
     * @param suspects whether a job may be among them on which claims have expired; it is claimed alone
     */
    record Demand(int jobs, boolean isFree, boolean suspects) {
        /** Nothing. */
        public static final Demand NONE = new Demand(0, false, false);
    }

    /**
     * Reserves room for a claim, until it is given jobs or the claim has ended. Asked at the beginning of every claim.
     */
    Demand reserve();

    /** Gives claimed jobs, no more than there was room for. Must not block. */
    void take(List<GrantedClaim<D>> jobs);

    /** The claim has ended, whatever it has come to: what is still reserved for it is free. Must not block. */
    void claimEnded();
}
