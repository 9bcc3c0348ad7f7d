package dev.couchjobs.server.internal.http;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.UUID;

/** Where the server gets the time, and random numbers that no caller can guess. Each server has timers of its own. */
public final class ServerEnvironment {
    private static final Environment SYSTEM = Environment.system();

    private ServerEnvironment() {}

    public static InstantSource clock() {
        return SYSTEM.clock();
    }

    public static Instant now() {
        return clock().instant();
    }

    /** {@return how many nanoseconds have passed since a time} */
    public static long nanosSince(Instant start) {
        return Duration.between(start, now()).toNanos();
    }

    public static byte[] randomBytes(int count) {
        byte[] random = new byte[count];
        SYSTEM.random().nextBytes(random);
        return random;
    }

    /** {@return random bytes, in hexadecimal} */
    public static String randomHex(int bytes) {
        return HexFormat.of().formatHex(randomBytes(bytes));
    }

    public static UUID randomId() {
        return new UUID(SYSTEM.random().nextLong(), SYSTEM.random().nextLong());
    }
}
