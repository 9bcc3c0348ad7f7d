package dev.couchjobs.internal.accept;

import dev.couchjobs.loop.ArmedWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The result of one claim: jobs by their criteria, or else watches and the time of the next scheduled job.
 *
 * @param exhausted the criteria for which the queues held fewer jobs than the demand
 * @param role the role of this process after the claim
 * @param watches the first of them fires when there may be jobs; empty if the next claim follows at once
 * @param nextDue seconds since the epoch
 * @param pauseMax how long to wait at most, if a rate allows another job then
 * @param refused calls that have claimed before
 */
record ClaimResult<D>(
        Map<ClaimCriteria, List<GrantedClaim<D>>> jobs,
        Set<ClaimCriteria> exhausted,
        Leadership.Role role,
        Optional<List<ArmedWatch>> watches,
        OptionalLong nextDue,
        Optional<Duration> pauseMax,
        Set<CallRow> refused) {
    private static final Duration VERSION_STEP = Duration.ofMillis(2);

    ClaimResult(Map<ClaimCriteria, List<GrantedClaim<D>>> jobs, Set<ClaimCriteria> exhausted, Leadership.Role role) {
        this(jobs, exhausted, role, Optional.empty(), OptionalLong.empty(), Optional.empty(), Set.of());
    }

    /** {@return the result of a claim that has found no job, and waits for watches} */
    static <D> ClaimResult<D> idle(Set<ClaimCriteria> exhausted, Leadership.Role role, List<ArmedWatch> watches) {
        return new ClaimResult<>(
                Map.of(), exhausted, role, Optional.of(watches), OptionalLong.empty(), Optional.empty(), Set.of());
    }

    /** {@return this result with the time of the next scheduled job} */
    ClaimResult<D> dueAt(OptionalLong nextDue) {
        return new ClaimResult<>(jobs, exhausted, role, watches, nextDue, pauseMax, refused);
    }

    /** {@return this result with a longest pause} A database without commits advances its version in steps. */
    ClaimResult<D> pausedAtMost(Duration pauseMax) {
        Duration pause = pauseMax.compareTo(VERSION_STEP) < 0 ? VERSION_STEP : pauseMax;
        return new ClaimResult<>(jobs, exhausted, role, watches, nextDue, Optional.of(pause), refused);
    }

    ClaimResult<D> with(Leadership.RoleChange roleChange) {
        return new ClaimResult<>(
                jobs, exhausted, roleChange.role(), roleChange.wakeUp().map(List::of), nextDue, pauseMax, refused);
    }

    /** {@return this result, which refuses some calls} */
    ClaimResult<D> refusing(Set<CallRow> calls) {
        return calls.isEmpty() ? this : new ClaimResult<>(jobs, exhausted, role, watches, nextDue, pauseMax, calls);
    }

    boolean isEmpty() {
        return jobs.values().stream().allMatch(List::isEmpty);
    }
}
