package dev.couchjobs.fdb.model;

import java.util.Collections;
import java.util.List;

/**
 * A range read and what it depends on.
 *
 * @param limit 0 for none
 */
record RangeRead(Selection begin, Selection end, int limit, boolean reverse) {

    /** Whether there is nothing to read whatever the database holds. */
    boolean isInverted() {
        return begin.offset() >= end.offset() && begin.base().compareTo(end.base()) >= 0;
    }

    List<String> keys(Rows rows) {
        int from = Math.max(0, begin.position(rows));
        int to = Math.min(rows.size(), end.position(rows));
        List<String> keys = from < to ? rows.keys().subList(from, to) : List.of();
        if (reverse) {
            Collections.reverse(keys);
        }
        return limit > 0 && limit < keys.size() ? keys.subList(0, limit) : keys;
    }

    private boolean isLimited(List<String> keys) {
        return limit > 0 && keys.size() == limit;
    }

    /** What has to be looked at to find these keys. */
    KeyRange walked(Rows rows, List<String> keys) {
        String from = begin.offset() == 1 ? begin.base() : min(begin.base(), begin.key(rows));
        String to = end.offset() == 1 ? end.base() : max(end.base(), end.key(rows));
        if (isLimited(keys)) {
            String last = keys.get(keys.size() - 1);
            return reverse ? new KeyRange(last, to) : new KeyRange(from, KeyRange.after(last));
        }
        return new KeyRange(from, to);
    }

    /**
     * What the client of FoundationDB declares to have read (its {@code ReadYourWrites.actor.cpp} says so for each
     * direction): what lies between the two bases, to either end of the database where a selector has fallen off it with
     * the other one still ahead or behind, and the rows; a limit makes all that lies behind the last row irrelevant. With
     * the bases in the wrong order it asks by itself for the selector that it would come to last, and if that one has
     * left the rows, mostly does not look at the other.
     */
    KeyRange conflict(Rows rows, List<String> keys) {
        boolean more = isLimited(keys);
        String from = min(begin.base(), end.base());
        String to = max(begin.base(), end.base());
        if (begin.base().compareTo(end.base()) < 0 && more) {
            if (!reverse && end.offset() > 0) {
                to = from;
            }
            if (reverse && begin.offset() <= 1) {
                from = to;
            }
        }
        if (fallsOffTheBeginning(rows, more)) {
            from = "";
        }
        if (fallsOffTheEnd(rows, more)) {
            to = ModelDatabase.END;
        }
        if (!keys.isEmpty()) {
            if (reverse || begin.offset() <= 0) {
                from = min(from, Collections.min(keys));
            }
            if (!reverse || end.offset() > 0) {
                to = max(to, KeyRange.after(Collections.max(keys)));
            }
        }
        return new KeyRange(from, to);
    }

    private boolean fallsOffTheBeginning(Rows rows, boolean more) {
        boolean fallsOff = !hasCrossed(rows) && begin.position(rows) < 0;
        boolean lastFallsOff = isSwapped() && !reverse && end.position(rows) < 0;
        return (fallsOff || lastFallsOff) && begin.offset() <= 0 && !(more && reverse);
    }

    private boolean fallsOffTheEnd(Rows rows, boolean more) {
        boolean fallsOff = !hasCrossed(rows) && end.position(rows) > rows.size();
        boolean lastFallsOff = isSwapped()
                && (reverse
                        ? begin.position(rows) >= rows.size()
                        : !hasCrossed(rows) && end.position(rows) >= rows.size());
        return (fallsOff || lastFallsOff) && end.offset() > 0 && !(more && !reverse);
    }

    private boolean isSwapped() {
        return begin.base().compareTo(end.base()) > 0;
    }

    private boolean hasCrossed(Rows rows) {
        return begin.position(rows) >= end.position(rows);
    }

    private static String min(String one, String other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static String max(String one, String other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
