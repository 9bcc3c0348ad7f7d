package dev.couchjobs.server.internal.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/** The client of a request that waits: it leaves when its connection ends, or when the server no longer serves it. */
final class WaitingClient implements ClientConnection {
    private final ClientConnection connection;

    @GuardedBy("this") private @Nullable Runnable onEnd;

    @GuardedBy("this") private boolean hasLeft;

    WaitingClient(ClientConnection connection) {
        this.connection = connection;
    }

    @Override
    public void watch(Runnable action) {
        boolean isLate;
        synchronized (this) {
            isLate = hasLeft;
            onEnd = isLate ? null : action;
        }
        if (isLate) {
            action.run();
        } else {
            connection.watch(this::leave);
        }
    }

    @Override
    public void unwatch() {
        connection.unwatch();
    }

    void leave() {
        Runnable action;
        synchronized (this) {
            hasLeft = true;
            action = onEnd;
            onEnd = null;
        }
        if (action != null) {
            action.run();
        }
    }
}
