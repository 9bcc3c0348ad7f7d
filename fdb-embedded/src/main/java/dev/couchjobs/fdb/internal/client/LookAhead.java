package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;

/**
 * How far the client fetches in one request: over single keys that it knows to be empty, but not over longer ranges,
 * nor over what is unreadable.
 *
 * @param segment the last segment to fetch, which is unknown
 * @param clears the empty keys on the way, for each of which one more stored row is asked for
 */
record LookAhead(int segment, int clears) {
    /** From an unknown segment up to {@code last}, over {@code most} segments at most. */
    static LookAhead forward(FetchedRows known, int first, int last, int most) {
        return walk(known, first, last, most, 1);
    }

    /** From an unknown segment down to {@code last}, over {@code most} segments at most. */
    static LookAhead backward(FetchedRows known, int first, int last, int most) {
        return walk(known, first, last, most, -1);
    }

    private static LookAhead walk(FetchedRows known, int first, int last, int most, int step) {
        int segment = first;
        int clears = 0;
        int emptyFrom = first + step;
        for (int steps = 0; segment != last && steps < most; steps++) {
            if (isObstacle(known, emptyFrom, segment)) {
                break;
            }
            if (known.isEmpty(segment)) {
                clears++;
            } else {
                emptyFrom = segment + step;
            }
            segment += step;
        }
        while (!known.isUnknown(segment)) {
            segment -= step;
        }
        return new LookAhead(segment, clears);
    }

    /** {@return the single empty keys that follow an unknown segment, {@code most} at most} */
    static int clearsAfter(FetchedRows known, int first, byte[] maxKey, int most) {
        return count(known, first, most, 1, maxKey);
    }

    /** {@return the single empty keys that precede an unknown segment, {@code most} at most} */
    static int clearsBefore(FetchedRows known, int first, int most) {
        return count(known, first, most, -1, Bytes.EMPTY);
    }

    private static int count(FetchedRows known, int first, int most, int step, byte[] edge) {
        int clears = 0;
        int emptyFrom = first + step;
        int segment = first;
        while (clears < most && !reaches(known, segment, step, edge)) {
            if (isObstacle(known, emptyFrom, segment)) {
                break;
            }
            if (known.isEmpty(segment)) {
                clears++;
            } else {
                emptyFrom = segment + step;
            }
            segment += step;
        }
        return clears;
    }

    private static boolean reaches(FetchedRows known, int segment, int step, byte[] edge) {
        return step > 0 ? !Bytes.less(known.end(segment), edge) : known.begin(segment).length == 0;
    }

    /** Whether a segment, with the empty ones before it from {@code emptyFrom} on, is more than one empty key. */
    private static boolean isObstacle(FetchedRows known, int emptyFrom, int segment) {
        if (known.isUnreadable(segment)) {
            return true;
        }
        int lower = Math.min(emptyFrom, segment);
        int upper = Math.max(emptyFrom, segment);
        return known.isEmpty(segment) && !new KeyRange(known.begin(lower), known.end(upper)).isSingleKey();
    }
}
