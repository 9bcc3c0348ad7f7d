package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.limits.Allowance;
import org.jspecify.annotations.Nullable;

/** What one transaction that claims jobs of a type has found. The next one expects the same. */
final class ClaimMemory {
    volatile Allowance allowance = Allowance.UNLIMITED;
    /** The shard of the limit of the type that the next claim uses if it can: most claims then meet no others there. */
    volatile int homeShard;
    /** How many jobs may be claimed ahead of their start, by what is left of the allowance. */
    volatile int prefetchMax = Integer.MAX_VALUE;
    /** Whether jobs of the instance have had turn keys, as far as this process knows. */
    volatile boolean mayHaveTurns;

    volatile boolean hadTurns;
    /** The turn key behind which the next claim reads requests; null for the first. */
    volatile @Nullable String requestsAfter;
    /** Whether jobs of the instance have had limit keys, as far as this process knows. */
    volatile boolean mayHaveLimitKeys;
    /** Whether jobs waited for slots of limit keys, or for tokens of their rates. */
    volatile boolean hadWaitingKeys;
    /** The limit key behind which the next claim reads requests for slots; null for the first. */
    volatile @Nullable String slotRequestsAfter;
    /** Adapts to conflicts over turns. */
    final SkipDistance turnSkipDistance = new SkipDistance();

    ClaimMemory(int homeShard) {
        this.homeShard = homeShard;
    }
}
