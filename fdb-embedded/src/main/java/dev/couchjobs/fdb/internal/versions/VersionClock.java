package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Converts time to versions: like FoundationDB, one version per microsecond. */
public final class VersionClock {
    private static final long NANOS_PER_VERSION = TimeUnit.SECONDS.toNanos(1) / Limits.VERSIONS_PER_SECOND;

    private final LongSupplier nanoTime;
    private final long nanosAtFirst;
    private final long first;

    public VersionClock(LongSupplier nanoTime, long first) {
        this.nanoTime = nanoTime;
        this.nanosAtFirst = nanoTime.getAsLong();
        this.first = first;
    }

    long now() {
        return first + (nanoTime.getAsLong() - nanosAtFirst) / NANOS_PER_VERSION;
    }
}
