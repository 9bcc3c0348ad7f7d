package dev.couchjobs.bridge.internal.document;

import java.util.Locale;

/** The spelling of values in documents. */
final class Spelling {
    private Spelling() {}

    static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
