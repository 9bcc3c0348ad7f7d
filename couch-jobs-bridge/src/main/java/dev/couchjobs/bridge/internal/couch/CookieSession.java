package dev.couchjobs.bridge.internal.couch;

import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A cookie from the server's {@code _session}. All requests share one login. */
final class CookieSession implements Session {
    private static final Pattern COOKIE = Pattern.compile("(AuthSession=[^;]+)");

    private final Supplier<CompletableFuture<CouchResponse>> logIn;
    private @Nullable CompletableFuture<Optional<Proof>> current;

    /**
     * Creates a session that begins with the first request.
     *
     * @param logIn makes one attempt, which fails if the server refuses
     */
    CookieSession(Supplier<CompletableFuture<CouchResponse>> logIn) {
        this.logIn = logIn;
    }

    @Override
    public synchronized CompletableFuture<Optional<Proof>> proof() {
        if (current == null || current.isCompletedExceptionally()) {
            current = logIn.get().thenApply(response -> Optional.of(cookieOf(response)));
        }
        return current;
    }

    private static Proof cookieOf(CouchResponse response) {
        return cookie(response.headers())
                .orElseThrow(() -> new CouchException(
                        response.status(), "The server returns no session cookie; use basic authentication"));
    }

    @Override
    public synchronized boolean renew(Optional<Proof> refused) {
        if (current != null
                && current.isDone()
                && !current.isCompletedExceptionally()
                && current.join().equals(refused)) {
            current = null;
        }
        return true;
    }

    /** The server replaces a cookie that is in use before it expires. */
    @Override
    public synchronized void see(HttpHeaders headers) {
        cookie(headers).ifPresent(newer -> current = CompletableFuture.completedFuture(Optional.of(newer)));
    }

    private static Optional<Proof> cookie(HttpHeaders headers) {
        return headers.allValues("set-cookie").stream()
                .map(COOKIE::matcher)
                .filter(Matcher::find)
                .map(found -> new Proof("Cookie", found.group(1)))
                .findFirst();
    }
}
