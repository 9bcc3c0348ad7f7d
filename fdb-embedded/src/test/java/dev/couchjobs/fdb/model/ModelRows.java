package dev.couchjobs.fdb.model;

import com.apple.foundationdb.MutationType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rows in the order of their keys. Key selectors also count a key that {@code COMPARE_AND_CLEAR} has left without a
 * row, until a copy is made: FoundationDB's client counts every key that a transaction has calculated with. Not
 * thread-safe.
 */
public final class ModelRows {

    private final TreeMap<String, String> rows;
    private final TreeSet<String> removed = new TreeSet<>();

    /** Starts with a copy of these rows. */
    public ModelRows(Map<String, String> rows) {
        this.rows = new TreeMap<>(rows);
    }

    /** Rows that change independently of these. */
    public ModelRows copy() {
        return new ModelRows(rows);
    }

    /** How many keys selectors count. */
    public int size() {
        return rows.size() + removed.size();
    }

    /** The value of a key, or null. */
    public @Nullable String get(String key) {
        return rows.get(key);
    }

    /** The keys in order. */
    public List<String> keys() {
        return new ArrayList<>(rows.keySet());
    }

    /** The keys from {@code begin} up to, but without, {@code end}. */
    public List<String> keys(String begin, String end) {
        return begin.compareTo(end) < 0
                ? new ArrayList<>(rows.subMap(begin, end).keySet())
                : new ArrayList<>();
    }

    /** All keys that selectors count, in order. */
    public List<String> counted() {
        TreeSet<String> counted = new TreeSet<>(rows.keySet());
        counted.addAll(removed);
        return new ArrayList<>(counted);
    }

    /**
     * The position among the keys {@link #counted} that a key selector leads to; it may lie before the first or after
     * the last.
     *
     * @param orEqual whether the selector counts from behind the base
     */
    public int position(String base, boolean orEqual, int offset) {
        return rows.headMap(base, orEqual).size()
                + removed.headSet(base, orEqual).size()
                - 1
                + offset;
    }

    /** The keys of the rows from one position up to, but without, another. */
    public List<String> between(int from, int to) {
        List<String> counted = counted();
        int begin = Math.max(0, from);
        int end = Math.min(counted.size(), to);
        return begin < end
                ? new ArrayList<>(counted.subList(begin, end).stream()
                        .filter(rows::containsKey)
                        .toList())
                : new ArrayList<>();
    }

    /**
     * The key of the first row at a position or, if the selector counted backwards, of the last one; null if there is
     * none.
     */
    public @Nullable String selected(int position, boolean backwards) {
        List<String> keys = backwards ? between(0, position + 1) : between(position, Integer.MAX_VALUE);
        return keys.isEmpty() || position < 0 ? null : keys.get(backwards ? keys.size() - 1 : 0);
    }

    /** Sets a key. */
    public void set(String key, String value) {
        removed.remove(key);
        rows.put(key, value);
    }

    /** Removes a key. */
    public void clear(String key) {
        removed.remove(key);
        rows.remove(key);
    }

    /** Removes the keys from {@code begin} up to, but without, {@code end}. */
    public void clear(String begin, String end) {
        keys(begin, end).forEach(rows::remove);
        removed.removeIf(key -> begin.compareTo(key) <= 0 && key.compareTo(end) < 0);
    }

    /** Applies an atomic operation, except for the versionstamped ones. */
    public void mutate(MutationType type, String key, String operand) {
        String after = Folding.fold(type, rows.get(key), operand);
        if (after == null) {
            rows.remove(key);
            removed.add(key);
        } else {
            set(key, after);
        }
    }
}
