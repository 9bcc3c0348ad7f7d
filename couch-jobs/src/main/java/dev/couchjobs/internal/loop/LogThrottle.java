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
 * The causes of failures that loops of an environment have logged within the last minute. When a disk is full, all
 * loops fail with one cause, several times a second.
 */
public final class LogThrottle {
    private static final Duration SILENCE = Duration.ofMinutes(1);
    private static final int CAUSES_MAX = 1_000;
    private static final Map<ScheduledExecutorService, LogThrottle> ALL =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final Map<String, Instant> lastLogged = new HashMap<>();

    /** {@return the throttle of an environment} */
    public static LogThrottle of(Environment environment) {
        return ALL.computeIfAbsent(environment.scheduler(), unused -> new LogThrottle());
    }

    /** {@return whether the caller is to log a cause now} Each is logged once a minute, even if the clock is set. */
    public synchronized boolean tryAcquire(String cause, Instant now) {
        lastLogged.values().removeIf(time -> !now.isBefore(time.plus(SILENCE)) || now.isBefore(time.minus(SILENCE)));
        return lastLogged.size() < CAUSES_MAX && lastLogged.putIfAbsent(cause, now) == null;
    }
}
