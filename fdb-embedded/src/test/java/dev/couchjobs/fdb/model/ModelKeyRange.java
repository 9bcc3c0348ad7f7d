package dev.couchjobs.fdb.model;

import java.util.ArrayList;
import java.util.List;

/** Keys from {@code begin} up to, but without, {@code end}. */
record ModelKeyRange(String begin, String end) {

    static ModelKeyRange of(String key) {
        return new ModelKeyRange(key, after(key));
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

    boolean intersects(ModelKeyRange other) {
        return !isEmpty() && !other.isEmpty() && begin.compareTo(other.end) < 0 && other.begin.compareTo(end) < 0;
    }

    /** What remains of this without those. */
    List<ModelKeyRange> without(List<ModelKeyRange> others) {
        List<ModelKeyRange> rest = new ArrayList<>(List.of(this));
        for (ModelKeyRange other : others) {
            List<ModelKeyRange> next = new ArrayList<>();
            for (ModelKeyRange part : rest) {
                if (part.intersects(other)) {
                    next.add(new ModelKeyRange(part.begin, other.begin));
                    next.add(new ModelKeyRange(other.end, part.end));
                } else {
                    next.add(part);
                }
            }
            rest = next;
        }
        rest.removeIf(ModelKeyRange::isEmpty);
        return rest;
    }
}
