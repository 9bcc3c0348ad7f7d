package dev.couchjobs.server.internal.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The client of a request that waits: it leaves when its connection ends, or when the server no longer serves it. All
 * that wait share a part of the server's memory.
 */
public final class WaitingClient {
    static final Problem TOO_MANY = Problem.of(503, "busy", "Too many clients wait.")
            .detail("The memory for those who wait is in use. Try again, or ask without waiting.")
            .header("Retry-After", "5");

    private final ClientConnection connection;
    private final Memory memory;
    /** For what its reply is made of. */
    private final Memory.Share share;

    @GuardedBy("this") private @Nullable Runnable onEnd;

    @GuardedBy("this") private boolean hasLeft;

    @GuardedBy("this") private boolean hasEnded;
    /** Kilobytes of the memory. */
    @GuardedBy("this") private int held;

    WaitingClient(ClientConnection connection, Memory memory) {
        this.connection = connection;
        this.memory = memory;
        this.share = memory.share();
    }

    /**
     * Takes memory for payloads of which the reply is made, until it is written.
     *
     * @return whether there is room; not if the client has its reply already
     */
    public boolean hold(long payloadBytes) {
        synchronized (this) {
            return !hasEnded && share.grow(payloadBytes * Memory.COST_OF_A_BODY);
        }
    }

    /**
     * Runs an action, once, if the client leaves before it has its reply. To be called once, before the wait begins.
     *
     * @param things how many types, results or feeds the client waits for; none if it does not wait
     * @throws ProblemException if too many clients wait
     */
    public void watch(int things, Runnable action) {
        if (!takeRoom(things)) {
            throw new ProblemException(TOO_MANY);
        }
        watch(action);
    }

    /** {@return whether there is room for a client that waits} It is given back at the end of the wait. */
    boolean takeRoom(int things) {
        int taken = memory.await(things);
        if (taken < 0) {
            return false;
        }
        boolean isLate;
        synchronized (this) {
            isLate = hasEnded;
            held += isLate ? 0 : taken;
        }
        if (isLate) {
            memory.endWait(taken);
        }
        return true;
    }

    void watch(Runnable action) {
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

    /** Ends the wait: a reply is about to be written, or has been written in parts. */
    void unwatch() {
        int given;
        synchronized (this) {
            hasEnded = true;
            given = held;
            held = 0;
            share.release();
        }
        memory.endWait(given);
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
