package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The causes of failures that were told within the last minute, by any loop of an environment: when a disk is full, all
 * loops fail of one cause, several times a second.
 */
final class LogThrottle {
    private static final Duration SILENCE = Duration.ofMinutes(1);
    private static final int MOST = 1_000;
    private static final Map<ScheduledExecutorService, LogThrottle> ALL =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final Map<String, Instant> told = new HashMap<>();

    /** {@return those of an environment} */
    static LogThrottle of(Environment environment) {
        return ALL.computeIfAbsent(environment.scheduler(), none -> new LogThrottle());
    }

    /** {@return whether a cause is to be told now} It is told by the caller then, and not again for a minute. */
    synchronized boolean tryAcquire(String cause, Instant now) {
        told.values().removeIf(time -> !now.isBefore(time.plus(SILENCE)));
        return told.size() < MOST && told.putIfAbsent(cause, now) == null;
    }
}
