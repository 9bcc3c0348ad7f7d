package dev.couchjobs.fdb.model;

import com.apple.foundationdb.KeySelector;
import java.util.Comparator;
import java.util.List;

/**
 * A key selector without its flag: {@code offset} 1 is the first key not less than {@code base}, 0 the last one that
 * is.
 */
record Selection(String base, int offset) {

    static Selection of(KeySelector selector) {
        String key = Text.of(selector.getKey());
        return new Selection(selector.orEqual() ? ModelKeyRange.after(key) : key, selector.getOffset());
    }

    int position(ModelRows rows) {
        return rows.position(base, false, offset);
    }

    /** The key selected; on either side of the rows, where that side ends. */
    String key(ModelRows rows) {
        String selected = rows.selected(position(rows), offset <= 0);
        return selected != null ? selected : offset <= 0 ? "" : ModelDatabase.END;
    }

    /**
     * Where a range between selections begins or ends.
     *
     * @param key the edge of an unreadable range if one is met before all has been counted
     * @param remaining how many keys (negative: backwards) then remain to be counted
     */
    record Bound(String key, int remaining, boolean stuck) {

        boolean hasPassed(Bound end) {
            return remaining >= end.remaining && key.compareTo(end.key) >= 0;
        }
    }

    Bound bound(ModelRows rows, List<ModelKeyRange> unreadable) {
        List<String> counted = rows.counted();
        int position = position(rows);
        if (offset > 1) {
            String to = position <= counted.size() ? ModelKeyRange.after(counted.get(position - 1)) : ModelDatabase.END;
            return unreadable.stream()
                    .filter(new ModelKeyRange(base, to)::intersects)
                    .map(range -> range.begin().compareTo(base) > 0 ? range.begin() : base)
                    .min(Comparator.naturalOrder())
                    .map(wall -> new Bound(wall, position - rows.position(wall, false, 1), true))
                    .orElseGet(() -> new Bound(to, Math.max(0, position - counted.size()), false));
        }
        if (offset < 1) {
            String from = position >= 0 ? counted.get(position) : "";
            return unreadable.stream()
                    .filter(new ModelKeyRange(from, base)::intersects)
                    .map(range -> range.end().compareTo(base) < 0 ? range.end() : base)
                    .max(Comparator.naturalOrder())
                    .map(wall -> new Bound(wall, position - rows.position(wall, false, 1), true))
                    .orElseGet(() -> new Bound(from, Math.min(0, position), false));
        }
        return new Bound(base, 0, false);
    }

    /** What has to be looked at to find the key. */
    ModelKeyRange walked(ModelRows rows) {
        if (offset > 0) {
            return new ModelKeyRange(base, ModelKeyRange.after(key(rows)));
        }
        return new ModelKeyRange(key(rows), base);
    }
}
