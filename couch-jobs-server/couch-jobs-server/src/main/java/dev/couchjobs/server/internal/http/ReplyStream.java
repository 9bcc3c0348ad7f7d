package dev.couchjobs.server.internal.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The body of a reply that is written in parts. A part is written when the client has taken the one before, so a slow
 * client holds one part in memory, and no thread.
 */
public final class ReplyStream {
    private static final byte[] NOTHING = {};
    /** A part, and what the container makes of it. */
    private static final int COPIES = 3;

    private final AsyncContext async;
    private final WaitingClient client;
    private final ServletOutputStream out;
    /** For the part that is being written. */
    private final Memory.Share memory;

    private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

    /** The part that is being written. */
    private byte[] part = NOTHING;

    private @Nullable CompletableFuture<Boolean> taken;
    private boolean isWritten = true;
    private boolean mayWrite;

    /** Writes the parts of a body. */
    @FunctionalInterface
    public interface Source {
        /**
         * Begins to write, and returns.
         *
         * @param stream takes the parts; the source ends it
         */
        void writeTo(ReplyStream stream);
    }

    private ReplyStream(AsyncContext async, WaitingClient client, ServletOutputStream out, Memory.Share memory) {
        this.memory = memory;
        this.async = async;
        this.client = client;
        this.out = out;
    }

    static ReplyStream begin(AsyncContext async, WaitingClient client, Source source, Memory.Share memory)
            throws IOException {
        ServletOutputStream out = async.getResponse().getOutputStream();
        ReplyStream stream = new ReplyStream(async, client, out, memory);
        out.setWriteListener(stream.new Listener());
        client.watch(stream::fail);
        source.writeTo(stream);
        return stream;
    }

    /**
     * Writes a part. The part before must have been taken.
     *
     * @param bytes the part
     * @return true when the client has taken it and more can be written; false if the client is gone, or there is no
     *     memory for the part: then the reply ends, and the client asks again
     */
    public CompletableFuture<Boolean> write(byte[] bytes) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        boolean hasRoom;
        synchronized (this) {
            if (closed.isDone()) {
                return CompletableFuture.completedFuture(false);
            }
            memory.release();
            hasRoom = memory.grow((long) bytes.length * COPIES);
            if (hasRoom) {
                part = bytes;
                isWritten = false;
                taken = result;
            }
        }
        if (!hasRoom) {
            end();
            return CompletableFuture.completedFuture(false);
        }
        proceed();
        return result;
    }

    /** {@return completes when the client is gone or the reply has ended} */
    public CompletableFuture<Boolean> closed() {
        return closed;
    }

    /** Ends the reply. */
    public void end() {
        if (closed.complete(true)) {
            memory.release();
            client.unwatch();
            async.complete();
        }
    }

    /** The container allows a call of {@code isReady} only after its last one was answered: hence the flag. */
    private void proceed() {
        CompletableFuture<Boolean> done = null;
        synchronized (this) {
            try {
                if (!mayWrite || closed.isDone()) {
                    return;
                }
                if (!isWritten) {
                    isWritten = true;
                    out.write(part);
                    part = NOTHING;
                    mayWrite = out.isReady();
                    if (mayWrite) {
                        out.flush();
                        mayWrite = out.isReady();
                    }
                }
                if (mayWrite) {
                    memory.release();
                    done = taken;
                    taken = null;
                }
            } catch (IOException e) {
                fail();
                return;
            }
        }
        if (done != null) {
            done.complete(true);
        }
    }

    private void fail() {
        CompletableFuture<Boolean> waiting;
        synchronized (this) {
            waiting = taken;
            taken = null;
        }
        if (closed.complete(false)) {
            memory.release();
            client.unwatch();
            async.complete();
        }
        if (waiting != null) {
            waiting.complete(false);
        }
    }

    private final class Listener implements WriteListener {
        @Override
        public void onWritePossible() {
            synchronized (ReplyStream.this) {
                mayWrite = true;
            }
            proceed();
        }

        @Override
        public void onError(Throwable error) {
            fail();
        }
    }
}
