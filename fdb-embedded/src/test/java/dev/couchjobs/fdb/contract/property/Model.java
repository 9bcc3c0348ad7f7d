package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.MutationType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A database small enough to be obviously right: a sorted map, one copy for each transaction. */
final class Model {

    private final TreeMap<Integer, String> rows = new TreeMap<>();
    private boolean comparedAndCleared;

    Model(Map<Integer, String> rows) {
        this.rows.putAll(rows);
    }

    Model copy() {
        return new Model(rows);
    }

    @Nullable String get(int key) {
        return rows.get(key);
    }

    /** The position among the rows that a selector leads to; it may lie before the first or after the last. */
    int position(Selector selector) {
        int before = rows.headMap(selector.base(), selector.orEqual()).size();
        return before - 1 + selector.offset();
    }

    /** The key that a selector leads to, minus one before the first, {@link Alphabet#SIZE} after the last. */
    int resolve(Selector selector) {
        int position = position(selector);
        if (position < 0) {
            return -1;
        }
        return position < rows.size() ? new ArrayList<>(rows.keySet()).get(position) : Alphabet.SIZE;
    }

    /** The keys of a range read, in its order; a limit of zero is none. */
    List<Integer> range(int begin, int end, int limit, boolean reverse) {
        List<Integer> keys = new ArrayList<>();
        for (int key : rows.keySet()) {
            if (begin <= key && key < end) {
                keys.add(key);
            }
        }
        return ordered(keys, limit, reverse);
    }

    boolean isBeforeBegin(Selector selector) {
        return position(selector) < 0;
    }

    /** Whether a selector leads past the first key after the rows. */
    boolean isPastEnd(Selector selector) {
        return position(selector) > rows.size();
    }

    List<Integer> range(Selector begin, Selector end, int limit, boolean reverse) {
        int from = Math.max(0, position(begin));
        int to = Math.min(rows.size(), position(end));
        List<Integer> keys = new ArrayList<>();
        for (int i = from; i < to; i++) {
            keys.add(new ArrayList<>(rows.keySet()).get(i));
        }
        return ordered(keys, limit, reverse);
    }

    private static List<Integer> ordered(List<Integer> keys, int limit, boolean reverse) {
        if (reverse) {
            Collections.reverse(keys);
        }
        return limit > 0 && limit < keys.size() ? keys.subList(0, limit) : keys;
    }

    void set(int key, String value) {
        rows.put(key, value);
    }

    void clear(int begin, int end) {
        rows.keySet().removeIf(key -> begin <= key && key < end);
    }

    /**
     * Whether a key may have gone by {@code COMPARE_AND_CLEAR} since this copy was made. FoundationDB's client (seen on
     * 7.3.69) counts such a key as present when a selector steps over it, so what is selected is not ours to say.
     */
    boolean isComparedAndCleared() {
        return comparedAndCleared;
    }

    void mutate(MutationType type, int key, String operand) {
        comparedAndCleared |= type == MutationType.COMPARE_AND_CLEAR;
        String after = Folding.fold(type, rows.get(key), operand);
        if (after == null) {
            rows.remove(key);
        } else {
            rows.put(key, after);
        }
    }

    /** These rows as {@code name=value}, as the engine's are rendered. */
    List<String> render(List<Integer> keys) {
        return keys.stream()
                .map(key -> Alphabet.name(key) + "=" + rows.get(key))
                .toList();
    }

    List<String> render() {
        return render(new ArrayList<>(rows.keySet()));
    }
}
