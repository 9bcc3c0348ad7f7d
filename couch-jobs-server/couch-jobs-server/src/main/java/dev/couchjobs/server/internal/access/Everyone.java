package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Every caller is the same.
 *
 * @param access what each may do
 */
public record Everyone(Access access) implements Authenticator {
    @Override
    public CompletableFuture<Optional<Access>> authenticate(HttpServletRequest request) {
        return CompletableFuture.completedFuture(Optional.of(access));
    }
}
