package dev.couchjobs.server.internal.work;

import dev.couchjobs.JobHaltedException;

/** Why a claim no longer holds, as the API writes it. */
public final class Halts {
    private Halts() {}

    public static String of(JobHaltedException halt) {
        if (halt.isRemoved()) {
            return "removed";
        }
        if (halt.isCancelled()) {
            return "cancelled";
        }
        return halt.end().isPresent() ? "ended" : "lost";
    }
}
