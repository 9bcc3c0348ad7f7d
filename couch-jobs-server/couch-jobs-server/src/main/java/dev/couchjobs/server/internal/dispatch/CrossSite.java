package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses writes that another site makes a browser send. A browser says where a request comes from: in
 * {@code Sec-Fetch-Site}, or, where it leaves that out, in {@code Origin}. Other clients send neither.
 */
final class CrossSite {
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> OWN = Set.of("same-origin", "none");

    private CrossSite() {}

    static void refuse(Exchange exchange) {
        if (!READS.contains(exchange.method())) {
            refuseWrite(exchange);
        }
    }

    /** A few writes are requests with GET. */
    static void refuseWrite(Exchange exchange) {
        if (isForeign(exchange)) {
            throw new ProblemException(Problem.of(403, "cross-site", "Another site may not write.")
                    .detail("A browser sent this for a page of another origin. Use the page of this server, or a"
                            + " client that is no browser."));
        }
    }

    private static boolean isForeign(Exchange exchange) {
        Optional<String> site = exchange.header("Sec-Fetch-Site");
        if (site.isPresent()) {
            return !OWN.contains(site.get());
        }
        return exchange.header("Origin")
                .filter(origin -> !isHost(origin, exchange.header("Host").orElse("")))
                .isPresent();
    }

    private static boolean isHost(String origin, String host) {
        try {
            return host.equalsIgnoreCase(URI.create(origin).getRawAuthority());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
