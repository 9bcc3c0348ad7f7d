package dev.couchjobs.server.internal.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Reads the body of a request up to a limit. No thread waits for a slow client. */
final class RequestBody implements ReadListener {
    private static final int BUFFER_BYTES = 8 * 1024;

    private final ServletInputStream in;
    private final int bytesMax;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();

    private RequestBody(ServletInputStream in, int bytesMax) {
        this.in = in;
        this.bytesMax = bytesMax;
    }

    /** {@return the body; fails with {@link ProblemException} if it is larger than the limit} */
    static CompletableFuture<byte[]> read(HttpServletRequest request, int bytesMax) throws IOException {
        if (request.getContentLengthLong() > bytesMax) {
            return CompletableFuture.failedFuture(tooLarge(bytesMax));
        }
        RequestBody body = new RequestBody(request.getInputStream(), bytesMax);
        body.in.setReadListener(body);
        return body.done;
    }

    private static ProblemException tooLarge(int bytesMax) {
        return new ProblemException(Problem.of(413, "body-too-large", "The body is too large.")
                .detail("A body has at most " + bytesMax + " bytes: send less at once.")
                .header("Connection", "close"));
    }

    @Override
    public void onDataAvailable() throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        while (!done.isDone() && in.isReady()) {
            int count = in.read(buffer);
            if (count < 0) {
                return;
            }
            if (bytes.size() + count > bytesMax) {
                done.completeExceptionally(tooLarge(bytesMax));
                return;
            }
            bytes.write(buffer, 0, count);
        }
    }

    @Override
    public void onAllDataRead() {
        done.complete(bytes.toByteArray());
    }

    @Override
    public void onError(Throwable error) {
        done.completeExceptionally(error);
    }
}
