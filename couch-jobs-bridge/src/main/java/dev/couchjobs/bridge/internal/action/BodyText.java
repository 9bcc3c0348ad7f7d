package dev.couchjobs.bridge.internal.action;

import java.net.http.HttpHeaders;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decodes a body in the charset that the server names, or in UTF-8. */
final class BodyText {
    private static final Pattern CHARSET = Pattern.compile("charset=\"?(?<name>[A-Za-z0-9._:-]+)");

    private BodyText() {}

    static String of(TruncatedBody.Beginning body, HttpHeaders headers) {
        Charset charset =
                headers.firstValue("Content-Type").map(BodyText::charset).orElse(StandardCharsets.UTF_8);
        byte[] bytes = body.bytes();
        int length = body.isCut() && charset.equals(StandardCharsets.UTF_8) ? Utf8.wholeUntil(bytes) : bytes.length;
        return new String(bytes, 0, length, charset);
    }

    private static Charset charset(String contentType) {
        Matcher matcher = CHARSET.matcher(contentType.toLowerCase(Locale.ROOT));
        try {
            return matcher.find() ? Charset.forName(matcher.group("name")) : StandardCharsets.UTF_8;
        } catch (IllegalArgumentException e) {
            return StandardCharsets.UTF_8;
        }
    }
}
