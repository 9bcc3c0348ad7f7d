package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.server.internal.http.Exchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Reads in vain what a client still sends after the last reply of a connection, until the client closes it or a limit
 * is reached. To close a connection whose input has not been read resets it, and the client loses the reply.
 */
final class UnreadInput implements Callback {
    private static final Duration TIME_MAX = Duration.ofSeconds(30);
    private static final int BUFFER_BYTES = 16 * 1024;
    /** Then others have their turn. */
    private static final int READS_AT_ONCE = 64;

    private final EndPoint endPoint;
    private final Runnable then;
    private final Scheduler.Task timer;
    private final AtomicBoolean hasEnded = new AtomicBoolean();
    private long bytes;

    /** @param then runs once, when nothing more is read */
    UnreadInput(EndPoint endPoint, Scheduler scheduler, Runnable then) {
        this.endPoint = endPoint;
        this.then = then;
        timer = scheduler.schedule(endPoint::close, TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
    }

    void read() {
        ByteBuffer buffer = BufferUtil.allocate(BUFFER_BYTES);
        try {
            int count = 1;
            for (int i = 0; i < READS_AT_ONCE && count > 0; i++) {
                BufferUtil.clear(buffer);
                count = endPoint.fill(buffer);
                bytes += count;
            }
            if (count < 0 || bytes > Exchange.UNWANTED_BYTES_MAX || !endPoint.tryFillInterested(this)) {
                end();
            }
        } catch (IOException e) {
            end();
        }
    }

    @Override
    public void succeeded() {
        read();
    }

    @Override
    public void failed(Throwable error) {
        end();
    }

    private void end() {
        if (!hasEnded.getAndSet(true)) {
            timer.cancel();
            then.run();
        }
    }
}
