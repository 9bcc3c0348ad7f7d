package dev.couchjobs.internal.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The background services of one kind, one for each key, created on first use and closed together. */
public final class ServiceRegistry<K, W> implements AutoCloseable {
    @GuardedBy("this") private final Map<K, W> services = new HashMap<>();

    private final Consumer<W> close;

    @GuardedBy("this") private boolean closed;

    /** @param close closes a service */
    public ServiceRegistry(Consumer<W> close) {
        this.close = close;
    }

    /** {@return the service of a key, created if there is none} */
    public synchronized W get(K key, Function<? super K, ? extends W> make) {
        if (closed) {
            throw new CouchJobsClosedException();
        }
        return services.computeIfAbsent(key, make);
    }

    /** {@return the service of a key, if there is one} */
    public synchronized Optional<W> ifPresent(K key) {
        return Optional.ofNullable(services.get(key));
    }

    /** {@return the number of services} */
    public synchronized int count() {
        return services.size();
    }

    /** Closes the service of a key, if there is one; the next {@link #get} creates another. */
    public void release(K key) {
        W released;
        synchronized (this) {
            released = services.remove(key);
        }
        if (released != null) {
            close.accept(released);
        }
    }

    /** Closes all services, and refuses to create further ones. */
    @Override
    public void close() {
        List<W> released;
        synchronized (this) {
            closed = true;
            released = List.copyOf(services.values());
        }
        released.forEach(close);
    }
}
