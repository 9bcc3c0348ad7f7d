package dev.couchjobs.server.internal.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The entity tags of a condition (RFC 9110, sections 8.8.3 and 13.1), as its client has them: with the mark of the
 * encoding, and {@code W/} before a weak one. A header that is no list of tags has none.
 *
 * @param isAny whether any resource meets the condition
 */
public record EntityTags(boolean isAny, List<String> tags) {
    private static final String WEAK = "W/";

    /** A tag, and what is before the next one; a list may have elements that are empty (section 5.6.1). */
    private static final Pattern NEXT =
            Pattern.compile("((?:W/)?\"[\\x21\\x23-\\x7e\\x80-\\xff]*+\")[ \\t]*(?:,[ \\t,]*|$)");

    private static final Pattern EMPTY = Pattern.compile("^[ \\t,]+");

    /** {@return the tags of a header} */
    public static EntityTags of(String header) {
        if (header.strip().equals("*")) {
            return new EntityTags(true, List.of());
        }
        List<String> tags = new ArrayList<>();
        Matcher next = NEXT.matcher(EMPTY.matcher(header).replaceFirst(""));
        int end = 0;
        while (next.region(end, next.regionEnd()).lookingAt()) {
            tags.add(next.group(1));
            end = next.end();
        }
        return new EntityTags(false, end == next.regionEnd() ? List.copyOf(tags) : List.of());
    }

    /** {@return whether the header {@code If-None-Match} of a request has a tag} */
    public static boolean isKnown(Exchange exchange, String tag) {
        return exchange.header("If-None-Match")
                .map(EntityTags::of)
                .filter(known -> known.matchesWeakly(tag))
                .isPresent();
    }

    /** {@return whether a strong tag is the tag, as a write needs it} */
    public boolean matchesStrongly(String tag) {
        return isAny || tags.stream().map(Gzip::plain).anyMatch(tag::equals);
    }

    /** {@return whether a tag, strong or weak, is the tag, as a read needs it} */
    public boolean matchesWeakly(String tag) {
        return isAny || tags.stream().map(EntityTags::strong).map(Gzip::plain).anyMatch(tag::equals);
    }

    /** {@return whether the client has what a tag stands for in this encoding} */
    boolean has(String tag) {
        return tags.stream().map(EntityTags::strong).anyMatch(tag::equals);
    }

    private static String strong(String tag) {
        return tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
    }

    /** {@return the tags of a header, if it is there} */
    public static Optional<EntityTags> of(Optional<String> header) {
        return header.map(EntityTags::of);
    }
}
