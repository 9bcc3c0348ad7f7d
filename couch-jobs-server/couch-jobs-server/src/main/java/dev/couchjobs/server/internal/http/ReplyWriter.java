package dev.couchjobs.server.internal.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Writes a reply and ends the request. No thread waits for a slow client. */
final class ReplyWriter implements WriteListener {
    private static final int CHUNK_BYTES = 32 * 1024;
    private static final InstantSource CLOCK = ServerEnvironment.clock();

    private final Runnable complete;
    private final ServletOutputStream out;
    private final Reply reply;
    private final byte[] body;
    private final Instant until;
    private int written;

    private ReplyWriter(ServletOutputStream out, Reply reply, Instant until, Runnable complete) {
        this.until = until;
        this.complete = complete;
        this.out = out;
        this.reply = reply;
        this.body = reply.body();
    }

    /** @param complete ends the request */
    static void write(AsyncContext async, Reply reply, boolean isHead, Duration transferTime, Runnable complete)
            throws IOException {
        HttpServletResponse response = (HttpServletResponse) async.getResponse();
        response.setContentLength(reply.body().length);
        if (isHead || reply.body().length == 0) {
            complete.run();
            return;
        }
        ServletOutputStream out = response.getOutputStream();
        out.setWriteListener(new ReplyWriter(out, reply, CLOCK.instant().plus(transferTime), complete));
    }

    @Override
    public void onWritePossible() throws IOException {
        while (out.isReady()) {
            if (written == body.length) {
                complete.run();
                return;
            }
            if (CLOCK.instant().isAfter(until)) {
                throw new IOException("The client takes the reply too slowly.");
            }
            int count = Math.min(CHUNK_BYTES, body.length - written);
            out.write(body, written, count);
            written += count;
        }
    }

    /** The client is gone. */
    @Override
    public void onError(Throwable error) {
        reply.unsent();
        complete.run();
    }
}
