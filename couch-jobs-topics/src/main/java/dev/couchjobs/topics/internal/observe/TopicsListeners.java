package dev.couchjobs.topics.internal.observe;

import dev.couchjobs.topics.TopicsListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of an instance. Callers make no event if there are none. */
public final class TopicsListeners {
    private static final Logger LOG = LoggerFactory.getLogger(TopicsListeners.class);

    private final List<TopicsListener> all;

    public TopicsListeners(List<TopicsListener> all) {
        this.all = List.copyOf(all);
    }

    /** {@return whether there are none} */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Reports an event to all listeners. What they throw is logged. */
    public void report(Consumer<TopicsListener> event) {
        for (TopicsListener listener : all) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) { // a listener must not keep messages from being consumed
                LOG.warn("The listener {} has failed", listener, e);
            }
        }
    }
}
