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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An HTTP request before it is sent.
 *
 * @param method the method, in upper case
 * @param url the address
 * @param headers the headers by name, without regard to case
 * @param body the body; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpCall(String method, URI url, Map<String, String> headers, byte[] body) {
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final int SEE_OTHER = 303;
    private static final Pattern NOT_IN_HEADER = Pattern.compile("[^\\t\\x20-\\x7E]");
    private static final Set<Integer> KEEP_METHOD = Set.of(307, 308);

    /** The headers that another server may get after a redirect; others may contain secrets. */
    private static final Set<String> HARMLESS =
            Set.of("accept", "accept-language", "content-type", "idempotency-key", "user-agent");

    HttpCall {
        Map<String, String> sorted = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        sorted.putAll(headers);
        headers = sorted;
        url = URI.create(url.toASCIIString()); // Java's client sends other characters as question marks
    }

    /**
     * {@return the request for Java's client}
     *
     * @throws IllegalArgumentException if HTTP or Java's client does not allow the method or a header
     */
    HttpRequest toRequest() {
        headers.forEach(HttpCall::check);
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        return request.build();
    }

    /** Java's client sends other characters than those of US-ASCII as question marks; see RFC 9110, section 5.5. */
    private static void check(String name, String value) {
        Matcher illegal = NOT_IN_HEADER.matcher(value);
        if (illegal.find()) {
            throw new IllegalArgumentException(String.format(
                    "the header \"%s\" has the character U+%04X; a header has only the printable characters of"
                            + " US-ASCII, so encode the others",
                    name, illegal.group().codePointAt(0)));
        }
    }

    static boolean isRedirect(int status) {
        return REDIRECTS.contains(status);
    }

    /**
     * {@return the request after a redirect} It is a GET without a body where the standard demands it, and has no
     * headers that may be secret if it goes to another server.
     *
     * @param status the status of the answer
     * @param location the header of the answer
     * @throws URISyntaxException if the header is not a URL
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

    /** {@return why the redirect must not be followed; empty if it may} */
    Optional<String> objection(HttpCall next, HostAllowList hosts) {
        if (HostAllowList.isSecure(url) && !HostAllowList.isSecure(next.url)) {
            return Optional.of("the server redirects from https to " + next.url + ", which is not encrypted");
        }
        return hosts.objection(next.url).map(reason -> "the server redirects: " + reason);
    }
}
