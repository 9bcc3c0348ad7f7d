package dev.couchjobs.loop;

import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.CallbackLog;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of an instance. Whatever they throw changes nothing, and is logged once a minute for each listener and
 * event. Callers make no event if there are none. Safe for use by several threads.
 *
 * @param <L> the type of the listeners
 */
public final class Observers<L> {
    private static final Logger LOG = LoggerFactory.getLogger(Observers.class);

    private final List<L> all;
    private final Environment environment;

    /**
     * Makes the listeners of an instance.
     *
     * @param all the listeners, in the order in which they are told
     * @param environment its clock says when a failure is logged again
     */
    public Observers(List<L> all, Environment environment) {
        this.all = List.copyOf(all);
        this.environment = environment;
    }

    /** {@return whether there are none} */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Tells all listeners of an event. Throws nothing.
     *
     * @param event the name of the event, for the log
     * @param call calls the method of a listener
     */
    public void report(String event, Consumer<? super L> call) {
        for (L listener : all) {
            try {
                call.accept(listener);
            } catch (Throwable e) { // also an error: who observes must not keep jobs from running
                String callback = "listener " + listener.getClass().getName() + ", " + event;
                Instant now = environment.clock().instant();
                CallbackLog.warn(LOG, environment, now, callback, "changes nothing by that", e);
            }
        }
    }
}
