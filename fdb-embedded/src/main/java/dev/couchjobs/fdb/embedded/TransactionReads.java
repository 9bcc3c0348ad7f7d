package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reads of one attempt, each with the conflict range it leaves behind. Guarded like the attempt. */
final class TransactionReads {
    private final Attempt attempt;

    TransactionReads(Attempt attempt) {
        this.attempt = attempt;
    }

    byte @Nullable [] get(byte[] key, boolean snapshot) {
        if (!Bytes.less(key, attempt.settings().readEnd()) && !KeySpace.isMetadataVersion(key)) {
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
        byte[] key = view(snapshot).select(selection).key();
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
        ReadView.Selected begin = bound(view, request.begin());
        ReadView.Selected end = bound(view, request.end());
        List<KeyValue> rows = new ArrayList<>();
        boolean more;
        try (MergedScan scan = view.scan(begin.key(), end.key(), request.reverse())) {
            more = collect(scan, request, rows);
        }
        attempt.checkWindow();
        if (!request.snapshot()) {
            addConflict(request, begin, end, rows, more);
        }
        return new RangeChunk(rows, more);
    }

    private ReadView view(boolean snapshot) {
        attempt.markUsed();
        TransactionSettings settings = attempt.settings();
        boolean merged = settings.readsSeeWrites(snapshot) && !attempt.writes().isEmpty();
        return new ReadView(
                attempt.snapshot().data(),
                merged ? attempt.writes() : null,
                settings.isBypassUnreadable(),
                settings.readEnd());
    }

    /** Nothing is read to find a bound that is a plain key. */
    private static ReadView.Selected bound(ReadView view, ReadView.Selection selection) {
        return selection.offset() == 1
                ? new ReadView.Selected(Bytes.min(selection.base(), view.end()), 0)
                : view.select(selection);
    }

    /** Returns whether a limit was reached. */
    private static boolean collect(MergedScan scan, RangeRequest request, List<KeyValue> rows) {
        long bytes = 0;
        for (Entry entry = scan.next(); entry != null; entry = scan.next()) {
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
     * The keys on which the outcome depends: between the two bounds as given, stretched to what the selectors had to walk
     * over, and cut behind the last row if a limit ended the read.
     */
    private void addConflict(
            RangeRequest request, ReadView.Selected begin, ReadView.Selected end, List<KeyValue> rows, boolean more) {
        byte[] from = Bytes.min(request.begin().base(), request.end().base());
        byte[] to = Bytes.max(request.begin().base(), request.end().base());
        boolean cut = more && Bytes.less(request.begin().base(), request.end().base());
        if (cut && !request.reverse() && request.end().offset() > 0) {
            to = from;
        }
        if (cut && request.reverse() && request.begin().offset() <= 1) {
            from = to;
        }
        if (fellOffBegin(request, begin, end) && request.begin().offset() <= 0 && !(more && request.reverse())) {
            from = Bytes.EMPTY;
        }
        if (fellOffEnd(request, begin, end) && request.end().offset() > 0 && !(more && !request.reverse())) {
            to = attempt.settings().readEnd();
        }
        if (!rows.isEmpty()) {
            byte[] one = rows.get(0).getKey();
            byte[] other = rows.get(rows.size() - 1).getKey();
            byte[] first = request.reverse() ? other : one;
            byte[] last = request.reverse() ? one : other;
            if (request.reverse() || request.begin().offset() <= 0) {
                from = Bytes.min(from, first);
            }
            if (!request.reverse() || request.end().offset() > 0) {
                to = Bytes.max(to, Bytes.after(last));
            }
        }
        addConflict(from.clone(), to.clone());
    }

    /**
     * Whether the range reaches to the beginning of the database. When its begin turns out not to lie before its end, what
     * decides that lies between their bases, however far outside they have led. Only, with the bases in the wrong order
     * FoundationDB's client asks for the bound that it would come to last, and if that has left the rows looks no further.
     */
    private static boolean fellOffBegin(RangeRequest request, ReadView.Selected begin, ReadView.Selected end) {
        if (request.basesAreSwapped() && !request.reverse() && end.key().length == 0) {
            return true;
        }
        return begin.overshoot() < 0 && begin.isBefore(end);
    }

    /** Likewise for the end; reading forward, the client goes on to look where the range begins. */
    private boolean fellOffEnd(RangeRequest request, ReadView.Selected begin, ReadView.Selected end) {
        byte[] last = request.reverse() ? begin.key() : end.key();
        if (request.basesAreSwapped() && Arrays.equals(last, attempt.settings().readEnd())) {
            return request.reverse() || begin.isBefore(end);
        }
        return end.overshoot() > 0 && begin.isBefore(end);
    }

    private void addConflict(byte[] key) {
        if (attempt.settings().isReadYourWritesDisabled() || !attempt.writes().isDetermined(key)) {
            attempt.addSize(2L * key.length + 1 + Attempt.RANGE_OVERHEAD_BYTES);
            attempt.readConflicts().add(key, Bytes.after(key));
        }
    }

    /**
     * What this transaction itself has determined depends on nobody else. The size counts the whole range for each of the
     * parts left, as FoundationDB's client does.
     */
    void addConflict(byte[] begin, byte[] end) {
        int parts = 1;
        if (attempt.settings().isReadYourWritesDisabled()) {
            attempt.readConflicts().add(begin, end);
        } else {
            parts = attempt.writes().addUndetermined(begin, end, attempt.readConflicts());
        }
        attempt.addSize((long) parts * (begin.length + end.length + Attempt.RANGE_OVERHEAD_BYTES));
    }

    void checkLegal(byte[] bound) {
        if (Bytes.less(attempt.settings().readEnd(), bound)) {
            throw FdbError.KEY_OUTSIDE_LEGAL_RANGE.exception();
        }
    }
}
