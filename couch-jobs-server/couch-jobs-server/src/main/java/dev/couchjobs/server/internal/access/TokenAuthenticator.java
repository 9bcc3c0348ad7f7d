package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Callers show a token: {@code Authorization: Bearer cj_...}. */
public final class TokenAuthenticator implements Authenticator {
    private static final String SCHEME = "Bearer ";

    private final AccessTokens tokens;

    public TokenAuthenticator(AccessTokens tokens) {
        this.tokens = tokens;
    }

    @Override
    public CompletableFuture<Optional<Access>> authenticate(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders("Authorization"));
        if (headers.size() != 1 || !headers.get(0).regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return tokens.find(headers.get(0).substring(SCHEME.length()).strip())
                .thenApply(found -> found.map(AccessToken::access));
    }
}
