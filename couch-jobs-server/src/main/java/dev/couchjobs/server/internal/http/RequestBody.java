package dev.couchjobs.server.internal.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** Reads the body of a request up to a limit. No thread waits for a slow client. */
final class RequestBody implements ReadListener {
    private static final int BUFFER_BYTES = 8 * 1024;
    private static final InstantSource CLOCK = ServerEnvironment.clock();

    private final ServletInputStream in;
    private final int bytesMax;
    private final Instant until;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();
    private final Memory.Share memory;

    private RequestBody(ServletInputStream in, int bytesMax, Instant until, Memory.Share memory) {
        this.in = in;
        this.memory = memory;
        this.until = until;
        this.bytesMax = bytesMax;
    }

    /**
     * {@return the body; fails with {@link ProblemException} if it is larger than the limit}
     *
     * @param memory grows with the body; the caller releases it
     */
    static CompletableFuture<byte[]> read(
            HttpServletRequest request, int bytesMax, Duration transferTime, Memory.Share memory) throws IOException {
        if (request.getContentLengthLong() > bytesMax) {
            return CompletableFuture.failedFuture(tooLarge(bytesMax));
        }
        RequestBody body = new RequestBody(
                request.getInputStream(), bytesMax, CLOCK.instant().plus(transferTime), memory);
        body.in.setReadListener(body);
        return body.done;
    }

    private static ProblemException tooLarge(int bytesMax) {
        return new ProblemException(Problem.of(413, "body-too-large", "The body is too large.")
                .detail("A body has at most " + bytesMax + " bytes: send less at once.")
                .header("Connection", "close"));
    }

    private static ProblemException tooSlow() {
        return new ProblemException(Problem.of(408, "too-slow", "The body did not arrive in time.")
                .detail("Send it faster, or less at once.")
                .header("Connection", "close"));
    }

    private static ProblemException noRoom() {
        return new ProblemException(Problem.of(503, "busy", "The memory for requests is in use.")
                .detail("Try again; send less at once.")
                .headers(Map.of("Retry-After", "1", "Connection", "close")));
    }

    @Override
    public void onDataAvailable() throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        while (!done.isDone() && in.isReady()) {
            int count = in.read(buffer);
            if (count < 0) {
                return;
            }
            if (CLOCK.instant().isAfter(until)) {
                fail(tooSlow());
                return;
            }
            if (bytes.size() + count > bytesMax) {
                fail(tooLarge(bytesMax));
                return;
            }
            if (!memory.grow((long) count * Memory.COST_OF_A_BODY)) {
                fail(noRoom());
                return;
            }
            bytes.write(buffer, 0, count);
        }
    }

    private void fail(Throwable error) {
        done.completeExceptionally(error);
    }

    @Override
    public void onAllDataRead() {
        done.complete(bytes.toByteArray());
    }

    @Override
    public void onError(Throwable error) {
        fail(
                error instanceof TimeoutException || error.getCause() instanceof TimeoutException
                        ? tooSlow()
                        : new ProblemException(Problem.of(
                                        400, "malformed-request", "The body has not arrived as a whole.")
                                .detail("Send as many bytes as Content-Length says, or chunks that are complete.")
                                .header("Connection", "close")));
    }
}
