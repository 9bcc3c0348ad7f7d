package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.limits.TokenWaits;
import dev.couchjobs.internal.queue.QueueKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** What a claim that has found no job waits for. A process that may not watch waits for nothing but time. */
final class ClaimWaits<D> {
    private static final Duration UNWATCHED_RULES_PAUSE = Duration.ofSeconds(30);

    private final ClaimParts<D> parts;
    private final ClaimDemand demand;
    private final Turns turns;
    private final Transaction tx;
    private final long now;

    ClaimWaits(ClaimParts<D> parts, ClaimDemand demand, Turns turns, Transaction tx, long now) {
        this.parts = parts;
        this.demand = demand;
        this.turns = turns;
        this.tx = tx;
        this.now = now;
    }

    /** Waits for the end of a pause. */
    CompletableFuture<ClaimResult<D>> forResumption(Leadership.Role role, Allowance allowance) {
        return watchAllowance(allowance)
                .thenApply(resumed -> pausedIfUnwatched(ClaimResult.idle(demand.criteria(), role, resumed)));
    }

    /** Waits until the rules of the type allow another job. */
    CompletableFuture<ClaimResult<D>> forAllowance(Leadership.RoleChange change, Allowance allowance) {
        return watchAllowance(allowance).thenApply(more -> {
            ClaimResult<D> idle = ClaimResult.idle(demand.criteria(), change.role(), orWokenUp(more, change));
            return allowance.untilNext().map(idle::pausedAtMost).orElseGet(() -> pausedIfUnwatched(idle));
        });
    }

    private CompletableFuture<List<ArmedWatch>> watchAllowance(Allowance allowance) {
        return demand.mayWatch() ? allowance.watch(tx, parts.keys) : CompletableFuture.completedFuture(List.of());
    }

    /** A process that may not watch looks again after a while, whether the type is in use or not. */
    private ClaimResult<D> pausedIfUnwatched(ClaimResult<D> idle) {
        return demand.mayWatch() ? idle : idle.pausedAtMost(UNWATCHED_RULES_PAUSE);
    }

    private static List<ArmedWatch> orWokenUp(List<ArmedWatch> watches, Leadership.RoleChange change) {
        return Stream.concat(watches.stream(), change.wakeUp().stream()).toList();
    }

    /**
     * Arms the watch for new jobs. A watch reads its key, so a transaction with a claim arms none: the claim would
     * conflict with every enqueue.
     */
    CompletableFuture<ClaimResult<D>> forJobs(Leadership.RoleChange change) {
        CompletableFuture<List<ArmedWatch>> newJob = demand.mayWatch()
                ? ArmedWatch.arm(tx, QueueKeys.of(parts.keys).watchesPending()).thenApply(List::of)
                : CompletableFuture.completedFuture(List.of());
        List<CompletableFuture<OptionalLong>> dueTimes = demand.criteria().stream()
                .map(criteria -> parts.selector.nextDue(tx, criteria, now))
                .toList();
        CompletableFuture<Optional<Duration>> untilToken = untilToken();
        return CompletableFuture.allOf(Futures.allOf(dueTimes), untilToken, newJob)
                .thenApply(done -> {
                    OptionalLong nextDue = Stream.concat(
                                    dueTimes.stream().map(CompletableFuture::join), Stream.of(turns.nextDue(now)))
                            .flatMapToLong(OptionalLong::stream)
                            .min();
                    ClaimResult<D> idle = ClaimResult.<D>idle(
                                    demand.criteria(), change.role(), orWokenUp(newJob.join(), change))
                            .dueAt(nextDue);
                    return untilToken.join().map(idle::pausedAtMost).orElse(idle);
                });
    }

    /** {@return the time until the first token of a limit key whose jobs wait for one} */
    private CompletableFuture<Optional<Duration>> untilToken() {
        return !parts.memory.allowance.hasRatedKeys()
                ? CompletableFuture.completedFuture(Optional.empty())
                : TokenWaits.first(tx, parts.keys)
                        .thenCombine(
                                tx.getReadVersion(),
                                (first, version) -> first.stream()
                                        .map(wait ->
                                                Duration.of(Math.max(1, wait.version() - version), ChronoUnit.MICROS))
                                        .findFirst());
    }
}
