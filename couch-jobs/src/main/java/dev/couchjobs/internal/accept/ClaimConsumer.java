package dev.couchjobs.internal.accept;

import java.util.List;

/**
 * A consumer of jobs of one type, for which an acceptor claims repeatedly, as many jobs at once as it demands.
 *
 * @param <D> the type of the jobs' data
 */
public interface ClaimConsumer<D> {

    /**
     * The demand of one claim.
     *
     * @param jobs the largest number of jobs; zero claims none until {@link ClaimSubscription#demandChanged}
     * @param isFree whether all these jobs can begin at once
     * @param suspects whether the claim may be of a suspect, which is claimed alone
     */
    record Demand(int jobs, boolean isFree, boolean suspects) {
        public static final Demand NONE = new Demand(0, false, false);
    }

    /** Reserves capacity for one claim until it delivers jobs or ends. The acceptor calls this when a claim begins. */
    Demand reserve();

    /**
     * Delivers claimed jobs. Must not block.
     *
     * @param claims at most as many as the demand
     * @param prefetchMax how many jobs that wait for a slot the consumer may demand, by the rules of the type
     */
    void deliver(List<GrantedClaim<D>> claims, int prefetchMax);

    /** Frees the capacity that is still reserved for a claim that has ended. Must not block. */
    void claimEnded();
}
