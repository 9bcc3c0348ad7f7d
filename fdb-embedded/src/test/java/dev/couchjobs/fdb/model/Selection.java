package dev.couchjobs.fdb.model;

import com.apple.foundationdb.KeySelector;
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

    /** Where a range begins or ends that has this at one end. */
    String bound(ModelRows rows) {
        List<String> counted = rows.counted();
        int position = position(rows);
        if (offset > 1) {
            return position <= counted.size() ? ModelKeyRange.after(counted.get(position - 1)) : ModelDatabase.END;
        }
        if (offset < 1) {
            return position >= 0 ? counted.get(position) : "";
        }
        return base;
    }

    /** What has to be looked at to find the key. */
    ModelKeyRange walked(ModelRows rows) {
        if (offset > 0) {
            return new ModelKeyRange(base, ModelKeyRange.after(key(rows)));
        }
        return new ModelKeyRange(key(rows), base);
    }
}
