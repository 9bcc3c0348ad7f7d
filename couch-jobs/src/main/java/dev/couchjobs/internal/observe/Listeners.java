package dev.couchjobs.internal.observe;

import dev.couchjobs.JobsListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of an instance. Callers make no event if there are none. */
public final class Listeners {
    /** No listeners. */
    public static final Listeners NONE = new Listeners(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private final List<JobsListener> all;

    public Listeners(List<JobsListener> all) {
        this.all = List.copyOf(all);
    }

    /** {@return whether there are none} */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Reports an event to all listeners. What they throw is logged. */
    public void report(Consumer<JobsListener> event) {
        for (JobsListener listener : all) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) { // a listener must not keep jobs from running
                LOG.warn("The listener {} has failed", listener, e);
            }
        }
    }
}
