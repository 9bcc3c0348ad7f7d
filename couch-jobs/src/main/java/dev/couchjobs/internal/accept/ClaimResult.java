package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.idle.Leadership;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The result of one claim.
 *
 * @param jobs the claimed jobs, by their criteria
 * @param exhausted the criteria for which the queues held fewer jobs than the demand
 * @param role the role of this process after the claim
 * @param rest when the next claim follows
 * @param refused calls that have claimed before
 */
record ClaimResult<D>(
        Map<ClaimCriteria, List<GrantedClaim<D>>> jobs,
        Set<ClaimCriteria> exhausted,
        Leadership.Role role,
        Rest rest,
        Set<CallRow> refused) {

    ClaimResult(
            Map<ClaimCriteria, List<GrantedClaim<D>>> jobs,
            Set<ClaimCriteria> exhausted,
            Leadership.Role role,
            Rest rest) {
        this(jobs, exhausted, role, rest, Set.of());
    }

    /** {@return this result, which refuses some calls} */
    ClaimResult<D> refusing(Set<CallRow> calls) {
        return calls.isEmpty() ? this : new ClaimResult<>(jobs, exhausted, role, rest, calls);
    }

    boolean isEmpty() {
        return jobs.values().stream().allMatch(List::isEmpty);
    }
}
