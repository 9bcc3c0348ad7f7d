package dev.couchjobs.server.internal.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request, up to a limit. What is refused is read on in vain, up to another limit: many a client
 * writes its whole request before it reads the reply. No thread waits for a slow client.
 */
final class RequestBody implements ReadListener {
    private static final int BUFFER_BYTES = 8 * 1024;
    private static final InstantSource CLOCK = ServerEnvironment.clock();

    private final ServletInputStream in;
    private final int bytesMax;
    private final Problem ifLarger;
    private final Instant until;
    private final Memory.Share memory;
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();

    private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    /** Why what arrives is read in vain. */
    private @Nullable Problem refusal;

    private long bytesInVain;

    private RequestBody(ServletInputStream in, int bytesMax, Problem ifLarger, Instant until, Memory.Share memory) {
        this.in = in;
        this.bytesMax = bytesMax;
        this.ifLarger = ifLarger;
        this.until = until;
        this.memory = memory;
    }

    /**
     * {@return the body; fails with {@link ProblemException} if it is refused, and with the header {@code Connection}
     * if it has not been read to its end}
     *
     * @param ifLarger why a body is refused that is larger than the limit
     * @param memory grows with the body; the caller releases it
     */
    static CompletableFuture<byte[]> read(
            HttpServletRequest request, int bytesMax, Problem ifLarger, Duration transferTime, Memory.Share memory)
            throws IOException {
        RequestBody body = new RequestBody(
                request.getInputStream(), bytesMax, ifLarger, CLOCK.instant().plus(transferTime), memory);
        long length = request.getContentLengthLong();
        if (length > bytesMax) {
            body.refusal = ifLarger;
        }
        if (length - bytesMax > Exchange.UNWANTED_BYTES_MAX) {
            body.giveUp(ifLarger);
        } else {
            body.in.setReadListener(body);
        }
        return body.done;
    }

    /** {@return whether an error of a read leaves the connection at the begin of the next request} */
    static boolean isAtEnd(Throwable error) {
        return error instanceof ProblemException known
                && !known.problem().headers().containsKey("Connection");
    }

    private static Problem tooSlow() {
        return Problem.of(408, "too-slow", "The body did not arrive in time.")
                .detail("Send it faster, or less at once.");
    }

    private static Problem noRoom() {
        return Problem.of(503, "busy", "The memory for requests is in use.")
                .detail("Try again; send less at once.")
                .header("Retry-After", "1");
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
                giveUp(tooSlow());
            } else if (refusal == null) {
                keep(buffer, count);
            } else {
                discard(count);
            }
        }
    }

    private void keep(byte[] buffer, int count) {
        if (bytes.size() + count > bytesMax) {
            refuse(ifLarger);
        } else if (!memory.grow((long) count * Memory.COST_OF_A_BODY)) {
            refuse(noRoom());
        } else {
            bytes.write(buffer, 0, count);
        }
    }

    private void refuse(Problem problem) {
        refusal = problem;
        if (bytes.size() > 0) {
            bytes = new ByteArrayOutputStream();
            memory.release();
        }
    }

    private void discard(int count) {
        bytesInVain += count;
        if (bytesInVain > Exchange.UNWANTED_BYTES_MAX) {
            giveUp(ifLarger);
        }
    }

    /** Ends with the reason why nothing more is read, so that the connection has to end, too. */
    private void giveUp(Problem problem) {
        Problem reason = refusal == null ? problem : refusal;
        Map<String, String> headers = new LinkedHashMap<>(reason.headers());
        headers.put("Connection", "close");
        done.completeExceptionally(new ProblemException(reason.headers(headers)));
    }

    @Override
    public void onAllDataRead() {
        if (refusal == null) {
            done.complete(bytes.toByteArray());
        } else {
            done.completeExceptionally(new ProblemException(refusal));
        }
    }

    @Override
    public void onError(Throwable error) {
        giveUp(
                error instanceof TimeoutException || error.getCause() instanceof TimeoutException
                        ? tooSlow()
                        : Problem.of(400, "malformed-request", "The body has not arrived as a whole.")
                                .detail("Send as many bytes as Content-Length says, or chunks that are complete."));
    }
}
