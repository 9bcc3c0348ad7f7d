package dev.couchjobs.internal.accept;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The result of one claim: jobs by their criteria, or else a watch and the time of the next scheduled job.
 *
 * @param exhausted the criteria for which the queues held fewer jobs than the demand
 * @param role the role of this process after the claim
 * @param watch completes when there may be jobs; empty if the next claim follows at once
 * @param nextDue seconds since the epoch
 */
record ClaimResult<D>(
        Map<ClaimCriteria, List<GrantedClaim<D>>> jobs,
        Set<ClaimCriteria> exhausted,
        Leadership.Role role,
        Optional<CompletableFuture<Void>> watch,
        OptionalLong nextDue) {
    ClaimResult(Map<ClaimCriteria, List<GrantedClaim<D>>> jobs, Set<ClaimCriteria> exhausted, Leadership.Role role) {
        this(jobs, exhausted, role, Optional.empty(), OptionalLong.empty());
    }

    ClaimResult<D> with(Leadership.RoleChange roleChange) {
        return new ClaimResult<>(jobs, exhausted, roleChange.role(), roleChange.wakeUp(), nextDue);
    }

    boolean isEmpty() {
        return jobs.values().stream().allMatch(List::isEmpty);
    }
}
