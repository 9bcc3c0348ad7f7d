package dev.couchjobs.internal.accept;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What a claim came to: jobs by what was wanted, or else a watch and the time of the next job.
 *
 * @param exhausted what was wanted and is not there any more
 * @param role where this process stands among those that wait
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

    ClaimResult<D> at(Leadership.RoleChange roleChange) {
        return new ClaimResult<>(jobs, exhausted, roleChange.role(), roleChange.call(), nextDue);
    }

    boolean isEmpty() {
        return jobs.values().stream().allMatch(List::isEmpty);
    }
}
