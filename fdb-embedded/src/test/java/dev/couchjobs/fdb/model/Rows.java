package dev.couchjobs.fdb.model;

import com.apple.foundationdb.MutationType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rows in the order of their keys. Not thread-safe. */
public final class Rows {

    private final TreeMap<String, String> rows;

    /** Starts with a copy of these rows. */
    public Rows(Map<String, String> rows) {
        this.rows = new TreeMap<>(rows);
    }

    /** Rows that change independently of these. */
    public Rows copy() {
        return new Rows(rows);
    }

    /** How many there are. */
    public int size() {
        return rows.size();
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

    /**
     * The position among the rows that a key selector leads to; it may lie before the first or after the last.
     *
     * @param orEqual whether the selector counts from behind the base
     */
    public int position(String base, boolean orEqual, int offset) {
        return rows.headMap(base, orEqual).size() - 1 + offset;
    }

    /** Sets a key. */
    public void set(String key, String value) {
        rows.put(key, value);
    }

    /** Removes a key. */
    public void clear(String key) {
        rows.remove(key);
    }

    /** Removes the keys from {@code begin} up to, but without, {@code end}. */
    public void clear(String begin, String end) {
        keys(begin, end).forEach(rows::remove);
    }

    /** Applies an atomic operation, except for the versionstamped ones. */
    public void mutate(MutationType type, String key, String operand) {
        String after = Folding.fold(type, rows.get(key), operand);
        if (after == null) {
            rows.remove(key);
        } else {
            rows.put(key, after);
        }
    }
}
