package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The user of the bridge on a CouchDB server. */
public sealed interface Credentials {

    /** No user. */
    record None() implements Credentials {}

    /** Name and password in every request. */
    record Basic(String name, String password) implements Credentials {
        /** {@return the value of the header {@code Authorization}} */
        String header() {
            byte[] pair = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
            return "Basic " + Base64.getEncoder().encodeToString(pair);
        }

        @Override
        public String toString() {
            return "Basic[name=" + name + "]";
        }
    }

    /** A session cookie. Name and password are sent for the first one, and when it has expired. */
    record Cookie(String name, String password) implements Credentials {
        @Override
        public String toString() {
            return "Cookie[name=" + name + "]";
        }
    }

    /** {@return the name and password in an address, percent-decoded; none if it has none} */
    static Credentials in(URI address) {
        @Nullable String userInfo = address.getRawUserInfo();
        if (userInfo == null) {
            return new None();
        }
        int colon = userInfo.indexOf(':');
        return colon < 0
                ? new Basic(decoded(userInfo), "")
                : new Basic(decoded(userInfo.substring(0, colon)), decoded(userInfo.substring(colon + 1)));
    }

    private static String decoded(String part) {
        // A plus stands for itself in this part of an address.
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
