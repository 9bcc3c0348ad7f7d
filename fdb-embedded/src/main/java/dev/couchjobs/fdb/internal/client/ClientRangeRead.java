package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads a range between selectors in the steps of FoundationDB's client, for a transaction that has unreadable keys:
 * whether a read has to know such a key depends on the order in which the client counts keys, fetches rows and compares
 * the two ends ({@code ReadYourWrites.actor.cpp} of 7.3.69). The client also knows what earlier reads have fetched;
 * here each read begins with the transaction's own writes. For one thread.
 */
final class ClientRangeRead {
    private static final int MAX_DOUBLINGS = 20;
    /** How many segments the client looks ahead for what it need not fetch. */
    private static final int LOOK_AHEAD = 100;

    /**
     * The result.
     *
     * @param more whether a limit ended the read
     * @param readToBegin whether a selector has left the rows at their beginning
     * @param readThroughEnd whether a selector has left the rows at their end
     */
    record Result(List<KeyValuePair> rows, boolean more, boolean readToBegin, boolean readThroughEnd) {
        static Result empty(boolean readToBegin, boolean readThroughEnd) {
            return new Result(List.of(), false, readToBegin, readThroughEnd);
        }
    }

    private final StoredRows stored;
    private final FetchedRows fetchedRows;
    private final byte[] maxKey;

    ClientRangeRead(ReadView view, WriteBuffer writes) {
        this.stored = new StoredRows(view.contents(), view.end());
        this.fetchedRows = new FetchedRows(writes);
        this.maxKey = view.end();
    }

    Result read(RangeRequest request) {
        return new Pass(
                        new Place(request.begin()),
                        new Place(request.end()),
                        new ReadLimits(request.rowLimit(), request.byteLimit()))
                .run(request.reverse());
    }

    /** The key of the row selected; the empty key or {@link #maxKey} if there is none. */
    private byte[] select(Place selected) {
        Place place = selected.copy();
        ReadLimits oneRow = new ReadLimits(1, 0);
        if (place.offset > 0) {
            Result result = new Pass(place, new Place(maxKey, 1), oneRow).run(false);
            if (result.readToBegin) {
                return Bytes.EMPTY;
            }
            return result.readThroughEnd || result.rows.isEmpty()
                    ? maxKey
                    : result.rows.get(0).key();
        }
        place.offset++;
        Result result = new Pass(new Place(Bytes.EMPTY, 1), place, oneRow).run(true);
        if (result.readThroughEnd) {
            return maxKey;
        }
        return result.readToBegin || result.rows.isEmpty()
                ? Bytes.EMPTY
                : result.rows.get(0).key();
    }

    /** A selector while it is being resolved. */
    static final class Place {
        byte[] key;
        long offset;

        Place(ReadView.Selection selection) {
            this(selection.base(), selection.offset());
        }

        Place(byte[] key, long offset) {
            this.key = key;
            this.offset = offset;
        }

        Place copy() {
            return new Place(key, offset);
        }

        /** Whether nothing remains to be counted. */
        boolean isResolved() {
            return offset == 1;
        }
    }

    /** One read: it begins at one place, fetches what it does not know, and ends at the other place or at a limit. */
    private final class Pass {
        private final Place begin;
        private final Place end;
        private final ReadLimits limits;
        private final List<KeyValuePair> rows = new ArrayList<>();
        private long beginOffset;
        private long endOffset;
        private int beginSegment;
        private int endSegment;
        private boolean readToBegin;
        private boolean readThroughEnd;
        private boolean more;
        private long additionalRows;
        private long rowsPastFarPlace;
        private int requests;

        Pass(Place begin, Place end, ReadLimits limits) {
            this.begin = begin.copy();
            this.end = end.copy();
            this.limits = limits;
            this.beginOffset = begin.offset;
            this.endOffset = end.offset;
        }

        Result run(boolean reverse) {
            resolvePlaces();
            if (isInverted()) {
                return Result.empty(false, false);
            }
            if ((begin.isResolved() && Arrays.equals(begin.key, maxKey)) || (end.isResolved() && end.key.length == 0)) {
                return Result.empty(readToBegin, readThroughEnd);
            }
            return reverse ? backward() : forward();
        }

        private boolean isInverted() {
            return beginOffset >= endOffset && !Bytes.less(begin.key, end.key);
        }

        private void resolvePlaces() {
            boolean beginWasOpen = !begin.isResolved();
            beginSegment = resolve(begin);
            beginOffset = beginWasOpen ? openOffset : beginOffset;
            boolean endWasOpen = !end.isResolved();
            endSegment = resolve(end);
            endOffset = endWasOpen ? openOffset : endOffset;
        }

        /** How far the place resolved last had been counted when it left the rows or met something unknown. */
        private long openOffset;

        /** Counts over what is known. Returns the segment at which it ends. */
        private int resolve(Place place) {
            FetchedRows known = fetchedRows;
            int segment = known.segmentAt(place.key);
            if (place.offset <= 0 && segment > 0 && Arrays.equals(known.begin(segment), place.key)) {
                segment--;
            }
            while (place.offset > 1 && known.isKnown(segment) && Bytes.less(known.end(segment), maxKey)) {
                place.offset -= known.isRow(segment) ? 1 : 0;
                segment++;
                place.key = known.begin(segment);
            }
            while (place.offset < 1 && known.isKnown(segment) && segment > 0) {
                place.offset += known.isRow(segment) ? 1 : 0;
                if (place.isResolved()) {
                    place.key = known.begin(segment);
                    break;
                }
                segment--;
                place.key = known.end(segment);
            }
            openOffset = place.offset;
            if (known.isKnown(segment) && !place.isResolved()) {
                readToBegin |= place.offset < 1;
                readThroughEnd |= place.offset > 1;
                place.key = place.offset < 1 ? Bytes.EMPTY : maxKey;
                place.offset = 1;
                return segment;
            }
            while (known.isEmpty(segment) && Bytes.less(known.end(segment), maxKey)) {
                segment++;
                place.key = known.begin(segment);
            }
            return segment;
        }

        /** Notes whether the key of a place lies outside the rows. */
        private byte[] selected(Place place) {
            byte[] key = select(place);
            readToBegin |= key.length == 0;
            readThroughEnd |= Arrays.equals(key, maxKey);
            return key;
        }

        private Result forward() {
            if (!end.isResolved() && Bytes.less(end.key, begin.key)) {
                byte[] endKey = selected(end);
                if (!Bytes.less(begin.key, endKey) && begin.offset > 0) {
                    return Result.empty(false, false);
                }
                if (endKey.length == 0) {
                    return Result.empty(readToBegin, readThroughEnd);
                }
                resolvePlaces();
            }
            while (true) {
                if (rows.isEmpty() && isInverted()) {
                    return Result.empty(false, false);
                }
                if (end.offset <= 1 && end.key.length == 0) {
                    return Result.empty(readToBegin, readThroughEnd);
                }
                if ((begin.offset >= end.offset && !Bytes.less(begin.key, end.key))
                        || (begin.offset >= 1 && !Bytes.less(begin.key, maxKey))) {
                    if (!end.isResolved() && !rows.isEmpty()) {
                        end.key = selected(end);
                        end.offset = 1;
                    }
                    break;
                }
                FetchedRows known = fetchedRows;
                if (known.isKnown(beginSegment) && Bytes.less(known.begin(endSegment), known.begin(beginSegment))) {
                    if (end.isResolved()) {
                        break;
                    }
                    return Result.empty(readToBegin, readThroughEnd);
                }
                if (limits.isReached() && rowsPastFarPlace >= 1 - end.offset) {
                    break;
                }
                if (beginSegment == endSegment
                        && (known.isKnown(beginSegment)
                                || (begin.offset > 0
                                        && end.isResolved()
                                        && Arrays.equals(end.key, known.begin(beginSegment))))) {
                    break;
                }
                known.require(beginSegment);
                if (known.isUnknown(beginSegment)) {
                    if (limits.hasMinimum() && !rows.isEmpty() && rowsPastFarPlace >= 1 - end.offset) {
                        more = true;
                        break;
                    }
                    fetchForward();
                } else {
                    take(beginSegment);
                    beginSegment++;
                }
            }
            more |= limits.isReached();
            if (end.isResolved() && rows.removeIf(row -> !Bytes.less(row.key(), end.key))) {
                more = false;
            }
            return new Result(rows, more, readToBegin, !more && readThroughEnd);
        }

        private Result backward() {
            if (!begin.isResolved() && Bytes.less(end.key, begin.key)) {
                byte[] beginKey = selected(begin);
                if (!Bytes.less(beginKey, end.key) && end.offset <= 1) {
                    return Result.empty(false, false);
                }
                if (Arrays.equals(beginKey, maxKey)) {
                    return Result.empty(readToBegin, readThroughEnd);
                }
                resolvePlaces();
            }
            while (true) {
                if (rows.isEmpty() && isInverted()) {
                    return Result.empty(false, false);
                }
                if (begin.offset > 0 && !Bytes.less(begin.key, maxKey)) {
                    return Result.empty(readToBegin, readThroughEnd);
                }
                if ((begin.offset >= end.offset && !Bytes.less(begin.key, end.key))
                        || (end.offset <= 1 && end.key.length == 0)) {
                    if (!begin.isResolved() && !rows.isEmpty()) {
                        begin.key = selected(begin);
                        begin.offset = 1;
                    }
                    break;
                }
                FetchedRows known = fetchedRows;
                if (rowsPastFarPlace >= begin.offset - 1
                        && known.isKnown(endSegment)
                        && Bytes.less(known.begin(endSegment), known.begin(beginSegment))) {
                    if (begin.isResolved()) {
                        break;
                    }
                    return Result.empty(readToBegin, readThroughEnd);
                }
                if (limits.isReached() && rowsPastFarPlace >= begin.offset - 1) {
                    break;
                }
                if (end.isResolved() && Arrays.equals(end.key, known.begin(endSegment))) {
                    if (rowsPastFarPlace >= begin.offset - 1 && endSegment == beginSegment) {
                        break;
                    }
                    endSegment--;
                }
                known.require(endSegment);
                if (known.isUnknown(endSegment)) {
                    if (limits.hasBytes() && !rows.isEmpty() && rowsPastFarPlace >= begin.offset - 1) {
                        more = true;
                        break;
                    }
                    fetchBackward();
                } else {
                    take(endSegment);
                    if (endSegment == beginSegment) {
                        break;
                    }
                    endSegment--;
                }
            }
            more |= limits.isReached();
            if (begin.isResolved() && rows.removeIf(row -> Bytes.less(row.key(), begin.key))) {
                more = false;
            }
            return new Result(rows, more, !more && readToBegin, readThroughEnd);
        }

        private void take(int segment) {
            KeyValuePair row = fetchedRows.isRow(segment) ? fetchedRows.row(segment) : null;
            if (row == null) {
                return;
            }
            if (limits.isReached()) {
                rowsPastFarPlace++;
            } else {
                limits.count(row);
                rows.add(row);
            }
        }

        private int clearLimit() {
            return requests == 0 ? 0 : 1 << Math.min(requests, MAX_DOUBLINGS);
        }

        private void fetchForward() {
            FetchedRows known = fetchedRows;
            int clearLimit = clearLimit();
            int until = beginSegment;
            int clears = 0;
            if (Bytes.less(known.begin(beginSegment), known.begin(endSegment))) {
                LookAhead ahead = LookAhead.forward(known, beginSegment, endSegment, clearLimit + LOOK_AHEAD);
                until = ahead.segment();
                clears = Math.min(ahead.clears(), clearLimit);
            }
            Place readEnd;
            if (until != endSegment) {
                readEnd = new Place(known.end(until), 1);
                additionalRows += end.offset < 1 ? 1 - end.offset : 0;
            } else if (end.offset < 1) {
                readEnd = new Place(end.key, 1);
                additionalRows += 1 - end.offset;
            } else {
                readEnd = end.copy();
                if (end.offset > 1) {
                    clears += LookAhead.clearsAfter(known, until, maxKey, clearLimit - clears);
                    readEnd.offset += clears;
                }
            }
            additionalRows += clears;
            Place readBegin;
            if (begin.isResolved()) {
                begin.key = Bytes.max(known.begin(beginSegment), begin.key);
                readBegin = begin.copy();
            } else if (begin.offset > 1) {
                readBegin = new Place(begin.key, 1);
                additionalRows += begin.offset - 1;
            } else {
                readBegin = begin.copy();
                int before = LookAhead.clearsBefore(known, beginSegment, clearLimit);
                readBegin.offset -= before;
                additionalRows += before;
            }
            readEnd.key = Bytes.max(readEnd.key, readBegin.key);
            fetch(readBegin, readEnd, 2 - readBegin.offset, false);
        }

        private void fetchBackward() {
            FetchedRows known = fetchedRows;
            int clearLimit = clearLimit();
            int until = endSegment;
            int clears = 0;
            if (Bytes.less(known.begin(beginSegment), known.begin(endSegment))) {
                LookAhead ahead = LookAhead.backward(known, endSegment, beginSegment, clearLimit + LOOK_AHEAD);
                until = ahead.segment();
                clears = Math.min(ahead.clears(), clearLimit);
            }
            Place readBegin;
            if (until != beginSegment) {
                readBegin = new Place(known.begin(until), 1);
                additionalRows += begin.offset > 1 ? begin.offset - 1 : 0;
            } else if (begin.offset > 1) {
                readBegin = new Place(begin.key, 1);
                additionalRows += begin.offset - 1;
            } else {
                readBegin = begin.copy();
                if (begin.offset < 1) {
                    clears += LookAhead.clearsBefore(known, until, clearLimit - clears);
                    readBegin.offset -= clears;
                }
            }
            additionalRows += clears;
            Place readEnd;
            if (end.isResolved()) {
                end.key = Bytes.min(known.end(endSegment), end.key);
                readEnd = end.copy();
            } else if (end.offset < 1) {
                readEnd = new Place(end.key, 1);
                additionalRows += 1 - end.offset;
            } else {
                readEnd = end.copy();
                int after = LookAhead.clearsAfter(known, endSegment, maxKey, clearLimit);
                readEnd.offset += after;
                additionalRows += after;
            }
            readBegin.key = Bytes.min(readBegin.key, readEnd.key);
            fetch(readBegin, readEnd, readEnd.offset, true);
        }

        private void fetch(Place readBegin, Place readEnd, long offset, boolean reverse) {
            StoredRows.Reply reply =
                    stored.fetch(readBegin, readEnd, limits.forRequest(additionalRows, offset, requests), reverse);
            requests++;
            additionalRows = 0;
            KeyRange range = reply.knownRange(readBegin, readEnd, reverse);
            if (!range.isEmpty()) {
                fetchedRows.add(range, reply.rows());
            }
            resolvePlaces();
        }
    }
}
