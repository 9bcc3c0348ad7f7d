package dev.couchjobs.fdb.model;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** The keys read. */
    List<String> keys(ModelRows rows) {
        List<String> keys = rows.keys(begin.bound(rows), end.bound(rows));
        if (reverse) {
            Collections.reverse(keys);
        }
        return limit > 0 && limit < keys.size() ? keys.subList(0, limit) : keys;
    }

    /** The read of what follows these keys; null if they are as many as are wanted. */
    @Nullable RangeRead after(List<String> keys) {
        String last = keys.get(keys.size() - 1);
        int rest = limit == 0 ? 0 : limit - keys.size();
        if (limit > 0 && rest == 0) {
            return null;
        }
        return reverse
                ? new RangeRead(begin, new Selection(last, 1), rest, true)
                : new RangeRead(new Selection(ModelKeyRange.after(last), 1), end, rest, false);
    }

    private boolean isLimited(List<String> keys) {
        return limit > 0 && keys.size() == limit;
    }

    /**
     * What the client of FoundationDB declares to have read (its {@code ReadYourWrites.actor.cpp} says so for each
     * direction): what lies between the two bases, to either end of the database where a selector has fallen off it
     * with the other one still ahead or behind, and the rows; a limit makes all that lies behind the last row
     * irrelevant. With the bases in the wrong order it asks by itself for the selector that it would come to last, and
     * if that one has left the rows, mostly does not look at the other.
     */
    ModelKeyRange conflict(ModelRows rows, List<String> keys) {
        boolean more = isLimited(keys);
        return conflict(keys, more, fallsOffTheBeginning(rows), fallsOffTheEnd(rows));
    }

    ModelKeyRange conflict(List<String> keys, boolean more, boolean toBegin, boolean toEnd) {
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
        if (toBegin && begin.offset() <= 0 && !(more && reverse)) {
            from = "";
        }
        if (toEnd && end.offset() > 0 && !(more && !reverse)) {
            to = ModelDatabase.END;
        }
        if (!keys.isEmpty()) {
            if (reverse || begin.offset() <= 0) {
                from = min(from, Collections.min(keys));
            }
            if (!reverse || end.offset() > 0) {
                to = max(to, ModelKeyRange.after(Collections.max(keys)));
            }
        }
        return new ModelKeyRange(from, to);
    }

    private boolean fallsOffTheBeginning(ModelRows rows) {
        boolean fallsOff = !hasCrossed(rows) && begin.position(rows) < 0;
        boolean lastFallsOff = isSwapped() && !reverse && end.key(rows).isEmpty();
        return fallsOff || lastFallsOff;
    }

    private boolean fallsOffTheEnd(ModelRows rows) {
        boolean fallsOff = !hasCrossed(rows) && end.position(rows) > rows.size();
        boolean lastFallsOff = isSwapped()
                && (reverse
                        ? begin.key(rows).equals(ModelDatabase.END)
                        : !hasCrossed(rows) && end.key(rows).equals(ModelDatabase.END));
        return fallsOff || lastFallsOff;
    }

    private boolean isSwapped() {
        return begin.base().compareTo(end.base()) > 0;
    }

    private boolean hasCrossed(ModelRows rows) {
        return begin.position(rows) >= end.position(rows);
    }

    private static String min(String one, String other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static String max(String one, String other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
