package dev.couchjobs.server.internal.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A path of the API with its query.
 *
 * @param text encoded, and begins with a slash
 */
record Address(String text) {
    /** {@return a path, with each {@code {}} replaced by the next value} */
    static Address of(String template, String... values) {
        StringBuilder path = new StringBuilder();
        int from = 0;
        for (String value : values) {
            int at = template.indexOf("{}", from);
            path.append(template, from, at).append(encode(value));
            from = at + 2;
        }
        return new Address(path + template.substring(from));
    }

    /** {@return the address with a parameter, if it has a value} */
    Address with(String name, Optional<?> value) {
        return value.map(given -> new Address(text + (text.indexOf('?') < 0 ? "?" : "&") + name + "="
                        + encode(given.toString()).replace("%2E", ".")))
                .orElse(this);
    }

    /** Dots are encoded, too: a segment of dots alone would name another path. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }
}
