package dev.couchjobs.fdb.model;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

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

    /**
     * The keys read, or nothing if that cannot be told without what is unreadable: where the rows begin, the rows up to
     * the limit and, where the other bound lies behind something unreadable, that it lies behind these rows.
     */
    Optional<List<String>> keys(ModelRows rows, List<ModelKeyRange> unreadable) {
        Selection last = reverse ? begin : end;
        if (isSwapped() && last.offset() != 1 && unreadable.stream().anyMatch(last.walked(rows)::intersects)) {
            return Optional.empty();
        }
        Selection.Bound from = begin.bound(rows, unreadable);
        Selection.Bound to = end.bound(rows, unreadable);
        if (from.hasPassed(to)) {
            return Optional.of(List.of());
        }
        Selection.Bound near = reverse ? to : from;
        Selection.Bound far = reverse ? from : to;
        if (near.stuck() || (far.stuck() && from.key().compareTo(to.key()) > 0)) {
            return Optional.empty();
        }
        List<String> keys = rows.keys(from.key(), to.key());
        if (reverse) {
            Collections.reverse(keys);
        }
        int behind = far.stuck() ? Math.max(0, reverse ? far.remaining() : -far.remaining()) : 0;
        boolean limited = limit > 0 && limit + behind <= keys.size();
        if (far.stuck() && !limited) {
            return Optional.empty();
        }
        ModelKeyRange looked = new ModelKeyRange(from.key(), to.key());
        if (limit > 0 && limit <= keys.size()) {
            String furthest = keys.get(limit + behind - 1);
            looked = reverse
                    ? new ModelKeyRange(furthest, to.key())
                    : new ModelKeyRange(from.key(), ModelKeyRange.after(furthest));
        }
        if (unreadable.stream().anyMatch(looked::intersects)) {
            return Optional.empty();
        }
        return Optional.of(limit > 0 && limit < keys.size() ? keys.subList(0, limit) : keys);
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
                to = max(to, ModelKeyRange.after(Collections.max(keys)));
            }
        }
        return new ModelKeyRange(from, to);
    }

    private boolean fallsOffTheBeginning(ModelRows rows, boolean more) {
        boolean fallsOff = !hasCrossed(rows) && begin.position(rows) < 0;
        boolean lastFallsOff = isSwapped() && !reverse && end.key(rows).isEmpty();
        return (fallsOff || lastFallsOff) && begin.offset() <= 0 && !(more && reverse);
    }

    private boolean fallsOffTheEnd(ModelRows rows, boolean more) {
        boolean fallsOff = !hasCrossed(rows) && end.position(rows) > rows.size();
        boolean lastFallsOff = isSwapped()
                && (reverse
                        ? begin.key(rows).equals(ModelDatabase.END)
                        : !hasCrossed(rows) && end.key(rows).equals(ModelDatabase.END));
        return (fallsOff || lastFallsOff) && end.offset() > 0 && !(more && !reverse);
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
