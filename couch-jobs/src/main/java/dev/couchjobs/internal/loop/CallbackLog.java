package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Instant;
import org.slf4j.Logger;

/** Logs what callbacks of users throw, once a minute for each callback. */
public final class CallbackLog {
    private CallbackLog() {}

    /**
     * Logs that a callback has failed. Throws nothing.
     *
     * @param now the time of the environment, whose clock may be the callback
     * @param callback what has failed, for people
     * @param consequence what comes of it, for people
     */
    public static void warn(
            Logger log, Environment environment, Instant now, String callback, String consequence, Throwable error) {
        if (!LogThrottle.of(environment).tryAcquire(callback, now)) {
            return;
        }
        try {
            log.warn("The {} has failed, and {}; logged once a minute", callback, consequence, error);
        } catch (Throwable e) { // the error is of a class of the user's, which the log has called
            log.warn("The {} has failed, and {}: {}", callback, consequence, RootCauses.text(error));
        }
    }
}
