package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How often each caller may call this server: a bucket that fills evenly. Replies say what is left in the headers of
 * the draft {@code draft-ietf-httpapi-ratelimit-headers}.
 */
final class CallRates {
    private static final int CALLERS_MAX = 10_000;
    private static final double MILLIS = 1_000;

    private final Optional<ApiSettings.CallRate> rate;
    private final InstantSource clock;

    /** The caller that has not called for the longest time goes first: its bucket is the fullest. */
    private final Map<String, Bucket> byCaller = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > CALLERS_MAX;
        }
    };

    /** How many requests a caller may make at once, by a time. */
    private record Bucket(double left, long at) {}

    CallRates(Optional<ApiSettings.CallRate> rate, InstantSource clock) {
        this.rate = rate;
        this.clock = clock;
    }

    /**
     * Counts a request.
     *
     * @return the headers that the reply needs
     * @throws ProblemException if the caller has called too often
     */
    Map<String, String> take(String caller) {
        return rate.map(limit -> take(caller, limit)).orElse(Map.of());
    }

    private Map<String, String> take(String caller, ApiSettings.CallRate limit) {
        double left;
        long now = clock.millis();
        synchronized (byCaller) {
            Bucket bucket = byCaller.getOrDefault(caller, new Bucket(limit.burst(), now));
            double filled = Math.max(0, now - bucket.at()) / MILLIS * limit.perSecond();
            left = Math.min(limit.burst(), bucket.left() + filled) - 1;
            byCaller.put(caller, new Bucket(left < 0 ? left + 1 : left, now));
        }
        Map<String, String> headers = new LinkedHashMap<>();
        long full = (long) Math.ceil((double) limit.burst() / limit.perSecond());
        headers.put("RateLimit-Policy", "\"caller\";q=" + limit.burst() + ";w=" + full);
        headers.put("RateLimit", "\"caller\";r=" + (long) Math.max(0, left) + ";t=" + full);
        if (left < 0) {
            long seconds = (long) Math.max(1, Math.ceil(-left / limit.perSecond()));
            headers.put("Retry-After", Long.toString(seconds));
            throw new ProblemException(Problem.of(429, "too-many-requests", "The caller calls too often.")
                    .detail("It may call " + limit.perSecond() + " times a second, and " + limit.burst()
                            + " times at once. Try again in " + seconds + " s, or send several jobs in a request.")
                    .headers(headers));
        }
        return headers;
    }
}
