package dev.couchjobs.fdb.model;

import com.apple.foundationdb.KeySelector;

/**
 * A key selector without its flag: {@code offset} 1 is the first key not less than {@code base}, 0 the last one that is.
 */
record Selection(String base, int offset) {

    static Selection of(KeySelector selector) {
        String key = Text.of(selector.getKey());
        return new Selection(selector.orEqual() ? KeyRange.after(key) : key, selector.getOffset());
    }

    int position(Rows rows) {
        return rows.position(base, false, offset);
    }

    /** The key selected; on either side of the rows, where that side ends. */
    String key(Rows rows) {
        int position = position(rows);
        if (position < 0) {
            return "";
        }
        return position < rows.size() ? rows.keys().get(position) : ModelDatabase.END;
    }

    /** What has to be looked at to find the key. */
    KeyRange walked(Rows rows) {
        if (offset > 0) {
            return new KeyRange(base, KeyRange.after(key(rows)));
        }
        return new KeyRange(key(rows), base);
    }
}
