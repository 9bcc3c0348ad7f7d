package dev.couchjobs.bridge.internal.document;

import java.util.Locale;

/** How a document spells values. */
final class Spelling {
    private Spelling() {}

    static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
