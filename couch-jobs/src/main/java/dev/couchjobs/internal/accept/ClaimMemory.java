package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.limits.Allowance;

/** What one claim has found of the limits of its type. The next one expects the same. */
final class ClaimMemory {
    volatile Allowance allowance = Allowance.UNLIMITED;
    /** The shard of the limit of the type that the next claim uses if it can: most claims then meet no others there. */
    volatile int homeShard;
    /** How many jobs may be claimed ahead of their start, by what is left of the allowance. */
    volatile int prefetchMax = Integer.MAX_VALUE;

    ClaimMemory(int homeShard) {
        this.homeShard = homeShard;
    }
}
