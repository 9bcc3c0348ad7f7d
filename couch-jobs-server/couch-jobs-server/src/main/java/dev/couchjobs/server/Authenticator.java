package dev.couchjobs.server;

import dev.couchjobs.server.internal.access.Everyone;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Decides what the caller of a request may do. Implementations are safe for use by several threads. */
@FunctionalInterface
public interface Authenticator {
    /**
     * {@return what the caller may do, or empty if the request does not say who calls; the reply is then 401}
     *
     * <p>It is called on a thread of the server, for each request before its body is read, and every two seconds while
     * a request waits or a feed goes on: these end when it is empty. It must not block. If the future fails, so does a
     * request that has just arrived.
     *
     * @param request the request; only its headers, its path and its attributes may be used
     */
    CompletableFuture<Optional<Access>> authenticate(HttpServletRequest request);

    /**
     * {@return an authenticator for which every caller is the same}
     *
     * @param access what every caller may do
     */
    static Authenticator always(Access access) {
        return new Everyone(access);
    }
}
