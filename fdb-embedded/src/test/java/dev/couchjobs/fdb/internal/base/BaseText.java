package dev.couchjobs.fdb.internal.base;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a base in text. */
final class BaseText {
    private BaseText() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static @Nullable String get(Base base, String key) {
        byte[] value = base.get(bytes(key));
        return value == null ? null : text(value);
    }

    static Map<String, String> of(Base base) {
        Map<String, String> contents = new TreeMap<>();
        try (BaseCursor cursor = base.ascending(new byte[0])) {
            for (byte[] key = cursor.key(); key != null; key = cursor.key()) {
                contents.put(text(key), text(cursor.value()));
                cursor.advance();
            }
        }
        return contents;
    }

    static List<String> upwards(Base base, String from) {
        try (BaseCursor cursor = base.ascending(bytes(from))) {
            return rest(cursor);
        }
    }

    static List<String> downwards(Base base, String before) {
        try (BaseCursor cursor = base.descending(bytes(before))) {
            return rest(cursor);
        }
    }

    static List<String> rest(BaseCursor cursor) {
        List<String> keys = new ArrayList<>();
        for (byte[] key = cursor.key(); key != null; key = cursor.key()) {
            keys.add(text(key));
            cursor.advance();
        }
        return keys;
    }
}
