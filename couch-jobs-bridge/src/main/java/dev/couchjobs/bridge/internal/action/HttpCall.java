package dev.couchjobs.bridge.internal.action;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One request, before it is sent.
 *
 * @param method in capitals
 * @param url where to
 * @param headers by name, without regard to case
 * @param body what is sent; empty for nothing
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpCall(String method, URI url, Map<String, String> headers, byte[] body) {
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final int SEE_OTHER = 303;
    private static final Set<Integer> KEEP_METHOD = Set.of(307, 308);

    /** What another server than the one that was meant may see; others may hold secrets. */
    private static final Set<String> HARMLESS =
            Set.of("accept", "accept-language", "content-type", "idempotency-key", "user-agent");

    HttpCall {
        Map<String, String> sorted = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        sorted.putAll(headers);
        headers = sorted;
    }

    /**
     * The request as Java has it.
     *
     * @throws IllegalArgumentException if the method or a header is not allowed by HTTP or by Java's client
     */
    HttpRequest toRequest() {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        return request.build();
    }

    static boolean isRedirect(int status) {
        return REDIRECTS.contains(status);
    }

    /**
     * The request to which an answer leads: with GET and no body where the standard says so, and without headers that
     * may be secret if another server is to get it.
     *
     * @param status the answer's status, one of a redirect
     * @param location its header
     * @throws URISyntaxException if that is no URL
     */
    HttpCall redirected(int status, String location) throws URISyntaxException {
        URI next = url.resolve(new URI(location));
        Map<String, String> kept = new TreeMap<>(headers);
        if (next.getHost() == null || !HostAllowList.isSameOrigin(url, next)) {
            kept.keySet().removeIf(name -> !HARMLESS.contains(name.toLowerCase(Locale.ROOT)));
        }
        if (!becomesGet(status)) {
            return new HttpCall(method, next, kept, body);
        }
        kept.keySet().removeIf("content-type"::equalsIgnoreCase);
        return new HttpCall("GET", next, kept, new byte[0]);
    }

    private boolean becomesGet(int status) {
        if (KEEP_METHOD.contains(status) || method.equals("GET") || method.equals("HEAD")) {
            return false;
        }
        return status == SEE_OTHER || method.equals("POST");
    }

    /** {@return why one must not go on from here to there, if so} */
    Optional<String> objection(HttpCall next, HostAllowList hosts) {
        if (HostAllowList.isSecure(url) && !HostAllowList.isSecure(next.url)) {
            return Optional.of("the server redirects from https to " + next.url + ", which is not encrypted");
        }
        return hosts.objection(next.url).map(reason -> "the server redirects: " + reason);
    }
}
