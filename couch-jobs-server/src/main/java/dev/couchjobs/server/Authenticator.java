package dev.couchjobs.server;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Decides what the caller of a request may do. Implementations are safe for use by several threads. */
@FunctionalInterface
public interface Authenticator {
    /**
     * {@return what the caller may do, or empty if the request does not say who calls; the reply is then 401}
     *
     * @param request the request; its body must not be read. The method must not block
     */
    Optional<Access> authenticate(HttpServletRequest request);
}
