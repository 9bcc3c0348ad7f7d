package dev.couchjobs.fdb.model;

import java.util.ArrayList;
import java.util.List;

/** Keys from {@code begin} up to, but without, {@code end}. */
record KeyRange(String begin, String end) {

    static KeyRange of(String key) {
        return new KeyRange(key, after(key));
    }

    /** The key that follows at once. */
    static String after(String key) {
        return key + '\0';
    }

    boolean isEmpty() {
        return begin.compareTo(end) >= 0;
    }

    boolean contains(String key) {
        return begin.compareTo(key) <= 0 && key.compareTo(end) < 0;
    }

    boolean intersects(KeyRange other) {
        return !isEmpty() && !other.isEmpty() && begin.compareTo(other.end) < 0 && other.begin.compareTo(end) < 0;
    }

    /** What remains of this without those. */
    List<KeyRange> without(List<KeyRange> others) {
        List<KeyRange> rest = new ArrayList<>(List.of(this));
        for (KeyRange other : others) {
            List<KeyRange> next = new ArrayList<>();
            for (KeyRange part : rest) {
                if (part.intersects(other)) {
                    next.add(new KeyRange(part.begin, other.begin));
                    next.add(new KeyRange(other.end, part.end));
                } else {
                    next.add(part);
                }
            }
            rest = next;
        }
        rest.removeIf(KeyRange::isEmpty);
        return rest;
    }
}
