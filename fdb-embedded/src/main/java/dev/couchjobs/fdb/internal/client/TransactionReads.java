package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.keys.RangeSet;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reads of one attempt, each with the conflict range it leaves behind. Guarded like the attempt. */
final class TransactionReads {
    private final TransactionAttempt attempt;

    TransactionReads(TransactionAttempt attempt) {
        this.attempt = attempt;
    }

    byte @Nullable [] get(byte[] key, boolean snapshot) {
        if (!Bytes.less(key, attempt.settings().readEnd()) && !KeySpaceBounds.isMetadataVersion(key)) {
            throw FdbError.KEY_OUTSIDE_LEGAL_RANGE.exception();
        }
        if (key.length > Limits.storableKeyBytes(key)) {
            return null;
        }
        byte[] value = view(snapshot).get(key);
        attempt.checkWindow();
        if (!snapshot) {
            addConflict(key);
        }
        return value == null ? null : value.clone();
    }

    byte[] getKey(KeySelector selector, boolean snapshot) {
        checkLegal(selector.getKey());
        ReadView.Selection selection = ReadView.Selection.of(selector);
        byte[] key = view(snapshot).select(selection);
        attempt.checkWindow();
        if (!snapshot) {
            if (selection.offset() > 0) {
                addConflict(selection.base(), Bytes.after(key));
            } else {
                addConflict(key, selection.base());
            }
        }
        return key.clone();
    }

    RangeChunk getRange(RangeRequest request) {
        checkLegal(request.begin().key());
        checkLegal(request.end().key());
        if (request.rowLimit() < 0) {
            throw FdbError.RANGE_LIMITS_INVALID.exception(Integer.toString(request.rowLimit()));
        }
        if (request.isInverted()) {
            return new RangeChunk(List.of(), false);
        }
        ReadView view = view(request.snapshot());
        if (view.hidesUnreadable() && request.hasOffsets()) {
            return getRangeAsClient(request, view);
        }
        byte[] lastKey =
                request.basesAreSwapped() ? lastKey(view, request.reverse() ? request.begin() : request.end()) : null;
        ReadView.Bound begin = view.bound(request.begin());
        ReadView.Bound end = view.bound(request.end());
        List<KeyValue> rows = new ArrayList<>();
        boolean more = !begin.hasPassed(end) && readRows(view, request, begin, end, rows);
        attempt.checkWindow();
        if (!request.snapshot()) {
            boolean offBegin = fellOffBegin(request, begin, end, lastKey);
            boolean offEnd = fellOffEnd(request, begin, end, lastKey);
            addConflict(request, offBegin, offEnd, rows, more);
        }
        return new RangeChunk(rows, more);
    }

    private RangeChunk getRangeAsClient(RangeRequest request, ReadView view) {
        ClientRangeRead.Result result = new ClientRangeRead(view, attempt.writes()).read(request);
        attempt.checkWindow();
        List<KeyValue> rows = new ArrayList<>();
        result.rows().forEach(row -> rows.add(row.copy()));
        if (!request.snapshot()) {
            addConflict(request, result.readToBegin(), result.readThroughEnd(), rows, result.more());
        }
        return new RangeChunk(rows, result.more());
    }

    /** Returns whether a limit was reached. */
    private static boolean readRows(
            ReadView view, RangeRequest request, ReadView.Bound begin, ReadView.Bound end, List<KeyValue> rows) {
        try (MergedScan scan = view.scan(begin.key(), end.key(), request.reverse())) {
            return collect(scan, request, rows);
        }
    }

    /** With the bases in the wrong order FoundationDB's client first asks for the key that it would come to last. */
    private static byte[] lastKey(ReadView view, ReadView.Selection last) {
        return last.offset() == 1 ? Bytes.min(last.base(), view.end()) : view.select(last);
    }

    private ReadView view(boolean snapshot) {
        attempt.markUsed();
        TransactionSettings settings = attempt.settings();
        boolean merged = settings.readsSeeWrites(snapshot) && !attempt.writes().isEmpty();
        return new ReadView(
                attempt.snapshot().contents(),
                merged ? attempt.writes() : null,
                settings.isBypassUnreadable(),
                settings.readEnd());
    }

    /** Returns whether a limit was reached. */
    private static boolean collect(MergedScan scan, RangeRequest request, List<KeyValue> rows) {
        long bytes = 0;
        for (KeyValuePair entry = scan.next(); entry != null; entry = scan.next()) {
            rows.add(entry.copy());
            bytes += entry.rowBytes();
            boolean rowsReached = request.rowLimit() != 0 && rows.size() >= request.rowLimit();
            if (rowsReached || (request.byteLimit() != 0 && bytes >= request.byteLimit())) {
                return true;
            }
        }
        return false;
    }

    /**
     * The keys on which the outcome depends: between the two bounds as given, stretched to what the selectors had to
     * walk over, and cut behind the last row if a limit ended the read.
     */
    private void addConflict(
            RangeRequest request, boolean offBegin, boolean offEnd, List<KeyValue> rows, boolean more) {
        byte[] from = Bytes.min(request.begin().base(), request.end().base());
        byte[] to = Bytes.max(request.begin().base(), request.end().base());
        boolean cut = more && Bytes.less(request.begin().base(), request.end().base());
        if (cut && !request.reverse() && request.end().offset() > 0) {
            to = from;
        }
        if (cut && request.reverse() && request.begin().offset() <= 1) {
            from = to;
        }
        if (offBegin && request.begin().offset() <= 0 && !(more && request.reverse())) {
            from = Bytes.EMPTY;
        }
        if (offEnd && request.end().offset() > 0 && !(more && !request.reverse())) {
            to = attempt.settings().readEnd();
        }
        if (!rows.isEmpty()) {
            byte[] firstRead = rows.get(0).getKey();
            byte[] lastRead = rows.get(rows.size() - 1).getKey();
            byte[] smallest = request.reverse() ? lastRead : firstRead;
            byte[] greatest = request.reverse() ? firstRead : lastRead;
            if (request.reverse() || request.begin().offset() <= 0) {
                from = Bytes.min(from, smallest);
            }
            if (!request.reverse() || request.end().offset() > 0) {
                to = Bytes.max(to, Bytes.after(greatest));
            }
        }
        addConflict(from.clone(), to.clone());
    }

    /**
     * Whether the range reaches to the beginning of the database. When its begin turns out not to lie before its end,
     * what decides that lies between their bases, however far outside they have led. Only, with the bases in the wrong
     * order FoundationDB's client asks for the bound that it would come to last, and if that has left the rows looks no
     * further.
     */
    private static boolean fellOffBegin(
            RangeRequest request, ReadView.Bound begin, ReadView.Bound end, byte @Nullable [] lastKey) {
        if (lastKey != null && !request.reverse() && lastKey.length == 0) {
            return true;
        }
        return begin.remaining() < 0 && begin.isBefore(end);
    }

    /** Whether the range reaches to the end of the key space; a forward read also looks for its begin. */
    private boolean fellOffEnd(
            RangeRequest request, ReadView.Bound begin, ReadView.Bound end, byte @Nullable [] lastKey) {
        if (lastKey != null && Arrays.equals(lastKey, attempt.settings().readEnd())) {
            return request.reverse() || begin.isBefore(end);
        }
        return end.remaining() > 0 && begin.isBefore(end);
    }

    private void addConflict(byte[] key) {
        if (attempt.settings().isReadYourWritesDisabled() || !attempt.writes().isDetermined(key)) {
            attempt.addSize(2L * key.length + 1 + TransactionAttempt.RANGE_OVERHEAD_BYTES);
            attempt.readConflicts().add(KeyRange.of(key));
        }
    }

    /**
     * What this transaction itself has determined depends on no other transaction. The size counts the whole range for
     * each of the parts left, as FoundationDB's client does.
     */
    void addConflict(byte[] begin, byte[] end) {
        int parts = 1;
        if (attempt.settings().isReadYourWritesDisabled()) {
            KeyRange range = new KeyRange(begin, end);
            if (!range.isEmpty()) {
                attempt.readConflicts().add(range);
            }
        } else {
            parts = addUndetermined(begin, end);
        }
        attempt.addSize((long) parts * (begin.length + end.length + TransactionAttempt.RANGE_OVERHEAD_BYTES));
    }

    /**
     * Adds the undetermined parts of a range, without those that an earlier read has added: a read that continues an
     * earlier one costs only its new part.
     */
    private int addUndetermined(byte[] begin, byte[] end) {
        WriteBuffer writes = attempt.writes();
        if (writes.isEmpty()) {
            return writes.addUndetermined(begin, end, attempt.readConflicts());
        }
        RangeSet newRanges = new RangeSet();
        newRanges.add(begin, end);
        attempt.conflictsAdded().within(begin, end).forEach(range -> newRanges.remove(range.begin(), range.end()));
        int parts = 0;
        for (KeyRange range : newRanges.ranges()) {
            parts += writes.addUndetermined(range.begin(), range.end(), attempt.readConflicts());
        }
        attempt.conflictsAdded().add(begin, end);
        return parts;
    }

    void checkLegal(byte[] bound) {
        if (Bytes.less(attempt.settings().readEnd(), bound)) {
            throw FdbError.KEY_OUTSIDE_LEGAL_RANGE.exception();
        }
    }
}
