package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Requests that Jetty refuses, as problems. It repeats nothing of the request, and of no error's text. Where the
 * request ends may not be known, so the connection ends.
 */
final class ProblemErrors extends ErrorHandler {
    private static final InstantSource CLOCK = ServerEnvironment.clock();

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Reply reply = problem(response.getStatus());
        response.setStatus(reply.status());
        reply.headers().forEach(response.getHeaders()::put);
        if (request.getConnectionMetaData().getHttpVersion().getVersion() < HttpVersion.HTTP_2.getVersion()) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        Instant until = CLOCK.instant().plus(NetSettings.TRANSFER_TIME);
        discard(
                request,
                Exchange.UNWANTED_BYTES_MAX,
                until,
                () -> response.write(true, ByteBuffer.wrap(reply.body()), callback));
        return true;
    }

    /** Reads a body in vain: its client may write all of it before it reads the reply. */
    private static void discard(Content.Source body, long bytesMax, Instant until, Runnable then) {
        long left = bytesMax;
        boolean isLast = false;
        while (!isLast && left >= 0 && CLOCK.instant().isBefore(until)) {
            Content.Chunk chunk = body.read();
            if (chunk == null) {
                long rest = left;
                body.demand(() -> discard(body, rest, until, then));
                return;
            }
            left -= chunk.remaining();
            isLast = chunk.isLast() || Content.Chunk.isFailure(chunk);
            chunk.release();
        }
        then.run();
    }

    private static Reply problem(int status) {
        Problem problem = switch (status) {
            case HttpStatus.REQUEST_TIMEOUT_408 ->
                Problem.of(status, "too-slow", "The request did not arrive in time.")
                        .detail("Send it faster, or less at once.");
            case HttpStatus.PAYLOAD_TOO_LARGE_413 ->
                Problem.of(status, "body-too-large", "The body is too large.").detail("Send less at once.");
            case HttpStatus.URI_TOO_LONG_414 ->
                Problem.of(status, "uri-too-long", "The address is too long.").detail("Shorten the path or the query.");
            case HttpStatus.MISDIRECTED_REQUEST_421 ->
                Problem.of(status, "wrong-host", "The server does not answer to this name.")
                        .detail("Address it as localhost or 127.0.0.1, or add the name to names in its"
                                + " configuration.");
            case HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                Problem.of(status, "headers-too-large", "The headers are too large.")
                        .detail("Send fewer or shorter ones.");
            default ->
                status < HttpStatus.INTERNAL_SERVER_ERROR_500
                        ? Problem.of(status, "malformed-request", "The request is not what HTTP allows.")
                                .detail("Compare it with RFC 9110 and RFC 9112.")
                        : Problem.of(status, "internal", "The server has failed.")
                                .detail("Its log tells more.");
        };
        return problem.reply().with("X-Content-Type-Options", "nosniff");
    }
}
