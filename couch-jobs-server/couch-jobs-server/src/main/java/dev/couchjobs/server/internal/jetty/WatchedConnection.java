package dev.couchjobs.server.internal.jetty;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.server.internal.http.ClientConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Watches the connection of a request that waits. In HTTP/2 a failure of the stream says that the client has gone. In
 * HTTP/1 Jetty does not read while a request is served, so this does: the end of the input ends the connection, and
 * what a client sends ahead goes into the buffer from which Jetty reads the next request. If something is there
 * already, this does not read: there may be no room.
 */
final class WatchedConnection implements ClientConnection, Callback {
    private static final int AHEAD_BYTES = 1024;

    private final Request request;

    @GuardedBy("this") private @Nullable Runnable onEnd;

    @GuardedBy("this") private boolean isUnwatched;

    @GuardedBy("this") private boolean awaitsInput;

    WatchedConnection(Request request) {
        this.request = request;
    }

    @Override
    public void watch(Runnable action) {
        synchronized (this) {
            onEnd = action;
        }
        request.addFailureListener(failure -> end());
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2) {
            endIfFailed();
        } else if (!isAhead()) {
            awaitInput();
        }
    }

    /** Jetty does not tell a listener of a failure that was before it. */
    private void endIfFailed() {
        Content.Chunk chunk = request.read();
        if (Content.Chunk.isFailure(chunk)) {
            end();
        } else if (chunk != null) {
            chunk.release(); // of a body that the operation has not asked for
        }
    }

    private boolean isAhead() {
        return request.getConnectionMetaData().getConnection() instanceof HttpConnection http
                && !http.isRequestBufferEmpty();
    }

    private synchronized void awaitInput() {
        awaitsInput = !isUnwatched && endPoint().tryFillInterested(this);
    }

    private EndPoint endPoint() {
        return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    @Override
    public void succeeded() {
        boolean hasEnded;
        synchronized (this) {
            awaitsInput = false;
            hasEnded = !isUnwatched && isAtEnd();
        }
        if (hasEnded) {
            end();
        }
    }

    /** Reads, and awaits further input if there was none. {@return whether the client has closed the connection} */
    @GuardedBy("this") private boolean isAtEnd() {
        ByteBuffer input = BufferUtil.allocate(AHEAD_BYTES);
        try {
            int count = endPoint().fill(input);
            if (count > 0 && request.getConnectionMetaData().getConnection() instanceof Connection.UpgradeTo http) {
                http.onUpgradeTo(input);
            } else if (count == 0) {
                awaitInput();
            }
            return count < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void failed(Throwable error) {
        synchronized (this) {
            awaitsInput = false;
            if (isUnwatched) {
                return;
            }
        }
        if (error instanceof TimeoutException) {
            awaitInput();
        } else {
            end();
        }
    }

    private void end() {
        Runnable action;
        synchronized (this) {
            action = isUnwatched ? null : onEnd;
            onEnd = null;
        }
        if (action != null) {
            action.run();
        }
    }

    @Override
    public synchronized void unwatch() {
        isUnwatched = true;
        if (awaitsInput && endPoint() instanceof AbstractEndPoint jettys) {
            jettys.getFillInterest().onFail(new CancellationException()); // Jetty awaits the next request itself
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }
}
