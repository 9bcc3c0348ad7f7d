package dev.couchjobs.fdb.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How FoundationDB's client reads a range in a transaction that has unreadable keys, step by step as in {@code
 * getRangeValue} and {@code getRangeValueBack} of its {@code ReadYourWrites.actor.cpp}, 7.3.69: it counts over what it
 * knows, asks the storage for what it does not know, and fails only if the walk itself comes to an unreadable key. Each
 * read begins with nothing fetched. All pieces of the key space are listed anew for every question.
 */
final class ClientReads {

    private static final String AFTER_ALL = "\u00ff\u00ff";
    private static final int SYSTEM_ROWS = 2_000;

    /** The read has to know a key that is unreadable. */
    static final class UnreadableException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * What a transaction knows by itself.
     *
     * @param rows the stored rows
     * @param view the rows with the transaction's writes done
     * @param written the keys that it has written one by one
     * @param independent whether what it knows of a key does not depend on the stored row
     * @param cleared whether it has cleared a key
     */
    record Own(
            ModelRows rows,
            ModelRows view,
            TreeSet<String> written,
            Predicate<String> independent,
            Predicate<String> cleared,
            List<ModelKeyRange> edges,
            List<ModelKeyRange> unreadable) {}

    /** The keys of a chunk of rows. */
    record Chunk(List<String> keys, boolean more, boolean toBegin, boolean toEnd) {

        static final Chunk NOTHING = new Chunk(List.of(), false, false, false);
    }

    private enum Kind {
        ROW,
        EMPTY,
        UNKNOWN,
        UNREADABLE
    }

    /** A piece of the key space that is all of one kind. */
    private record Piece(String begin, String end, Kind kind) {

        boolean is(Kind other) {
            return kind == other;
        }

        boolean isKnown() {
            return kind == Kind.ROW || kind == Kind.EMPTY;
        }
    }

    /** A selector, in the words of the client: the base and how many keys remain. */
    private record Target(String base, int offset) {

        boolean isPlain() {
            return offset == 1;
        }

        Target plus(int more) {
            return new Target(base, offset + more);
        }
    }

    private final Own own;
    private final TreeMap<String, String> known = new TreeMap<>();

    ClientReads(Own own) {
        this.own = own;
    }

    Chunk read(RangeRead read, int bytes) {
        Target begin = new Target(read.begin().base(), read.begin().offset());
        Target end = new Target(read.end().base(), read.end().offset());
        return new Walk(begin, end, read.limit() == 0 ? -1 : read.limit(), bytes == 0 ? -1 : bytes).go(read.reverse());
    }

    private boolean isFetched(String key) {
        var before = known.floorEntry(key);
        return before != null && key.compareTo(before.getValue()) < 0;
    }

    private List<Piece> pieces() {
        TreeSet<String> edges = new TreeSet<>(List.of(""));
        known.forEach((begin, end) -> edges.addAll(List.of(begin, end)));
        own.edges.forEach(range -> edges.addAll(List.of(range.begin(), range.end())));
        own.unreadable.forEach(range -> edges.addAll(List.of(range.begin(), range.end())));
        own.written.forEach(key -> edges.addAll(List.of(key, ModelKeyRange.after(key))));
        boolean system = !known.isEmpty() && known.lastEntry().getValue().compareTo(ModelDatabase.END) > 0;
        for (String key : system ? stored() : own.rows.keys()) {
            if (isFetched(key)) {
                edges.addAll(List.of(key, ModelKeyRange.after(key)));
            }
        }
        edges.removeIf(edge -> edge.compareTo(AFTER_ALL) >= 0);
        List<Piece> pieces = new ArrayList<>();
        for (String edge : edges) {
            String next = edges.higher(edge);
            pieces.add(new Piece(edge, next == null ? AFTER_ALL : next, kind(edge)));
        }
        return pieces;
    }

    private Kind kind(String key) {
        if (own.unreadable.stream().anyMatch(range -> range.contains(key))) {
            return Kind.UNREADABLE;
        }
        if (own.written.contains(key)) {
            return own.independent.test(key) || isFetched(key) ? Kind.ROW : Kind.UNKNOWN;
        }
        if (own.cleared.test(key)) {
            return Kind.EMPTY;
        }
        if (!isFetched(key)) {
            return Kind.UNKNOWN;
        }
        return isSystem(key) || own.rows.get(key) != null ? Kind.ROW : Kind.EMPTY;
    }

    private static boolean isSystem(String key) {
        return key.length() == 3 && key.startsWith(ModelDatabase.END);
    }

    /** The rows of the user and, behind them, those that the system has on every cluster. */
    private List<String> stored() {
        List<String> stored = own.rows.keys();
        for (int i = 0; i < SYSTEM_ROWS; i++) {
            stored.add(ModelDatabase.END + (char) (i / 200) + (char) (i % 200));
        }
        return stored;
    }

    private int bytes(String key) {
        String value = own.view.get(key);
        return key.length() + (value == null ? 0 : value.length()) + 8;
    }

    private String keyOf(Target target) {
        if (target.offset > 0) {
            Chunk chunk = new Walk(target, new Target(ModelDatabase.END, 1), 1, -1).go(false);
            if (chunk.toBegin) {
                return "";
            }
            return chunk.toEnd || chunk.keys.isEmpty() ? ModelDatabase.END : chunk.keys.get(0);
        }
        Chunk chunk = new Walk(new Target("", 1), target.plus(1), 1, -1).go(true);
        if (chunk.toEnd) {
            return ModelDatabase.END;
        }
        return chunk.toBegin || chunk.keys.isEmpty() ? "" : chunk.keys.get(0);
    }

    /** What the storage answers. */
    private record Reply(List<String> keys, boolean more, boolean toBegin) {}

    /** A byte limit lets the least number of rows through. */
    private record Limits(int rows, int bytes, int least) {

        boolean areReachedBy(int count, int used) {
            return (rows >= 0 && count >= rows) || (bytes >= 0 && used >= bytes && count >= least);
        }
    }

    private Reply ask(Target begin, Target end, Limits limits, boolean reverse) {
        boolean atBegin = begin.base.isEmpty() && begin.offset < 1;
        if (end.base.isEmpty() && end.offset <= 1) {
            return new Reply(List.of(), false, atBegin);
        }
        List<String> stored = stored();
        int from = atBegin ? 0 : position(stored, begin);
        int to = position(stored, end);
        boolean left = from < 0 || to < 0;
        boolean fromFirst = from < 0 || (begin.base.isEmpty() && begin.offset == 1);
        if (to < 0) {
            return new Reply(List.of(), false, false);
        }
        List<String> keys = new ArrayList<>(stored.subList(Math.min(Math.max(from, 0), to), to));
        if (reverse) {
            Collections.reverse(keys);
        }
        int count = 0;
        int used = 0;
        while (count < keys.size() && !limits.areReachedBy(count, used)) {
            used += bytes(keys.get(count));
            count++;
        }
        boolean more = limits.areReachedBy(count, used);
        boolean toBegin = left ? fromFirst && !(reverse && more) : atBegin;
        return new Reply(keys.subList(0, count), more, toBegin);
    }

    /** The index of the stored key that a selector leads to; -1 for all that lies before the first. */
    private static int position(List<String> stored, Target target) {
        int before = 0;
        while (before < stored.size() && stored.get(before).compareTo(target.base) < 0) {
            before++;
        }
        return Math.max(-1, before - 1 + target.offset);
    }

    private void learn(Reply reply, Target begin, Target end, boolean reverse) {
        boolean cutBegin = reverse && reply.more;
        boolean cutEnd = !reverse && reply.more;
        String from = begin.offset <= 1 && !cutBegin ? begin.base : AFTER_ALL;
        String to = end.offset >= 1 && !cutEnd ? end.base : "";
        if (reply.toBegin) {
            from = "";
        }
        if (!reply.keys.isEmpty()) {
            String least = Collections.min(reply.keys);
            String greatest = ModelKeyRange.after(Collections.max(reply.keys));
            from = cutBegin || least.compareTo(from) < 0 ? least : from;
            to = cutEnd || greatest.compareTo(to) > 0 ? greatest : to;
        }
        if (from.compareTo(to) >= 0) {
            return;
        }
        // What is known already stays a piece of its own where the new one only touches it.
        for (String begins : List.copyOf(known.keySet())) {
            String ends = known.getOrDefault(begins, "");
            boolean apart = ends.compareTo(from) <= 0 || to.compareTo(begins) <= 0;
            if (!apart) {
                known.remove(begins);
                from = begins.compareTo(from) < 0 ? begins : from;
                to = ends.compareTo(to) > 0 ? ends : to;
            }
        }
        known.put(from, to);
    }

    /** One read from one end to the other. */
    private final class Walk {

        private Target begin;
        private Target end;
        private int rowsLeft;
        private int bytesLeft;
        private int beginCounted;
        private int endCounted;
        private Piece atBegin = new Piece("", "", Kind.UNKNOWN);
        private Piece atEnd = atBegin;
        private boolean toBegin;
        private boolean toEnd;
        private boolean more;
        private int skippedFar;
        private int extraRows;
        private int asked;
        private final List<String> keys = new ArrayList<>();
        /** What the client returns from the middle of its loop. */
        private @Nullable Chunk returned;

        Walk(Target begin, Target end, int rows, int bytes) {
            this.begin = begin;
            this.end = end;
            this.rowsLeft = rows;
            this.bytesLeft = bytes;
            this.beginCounted = begin.offset;
            this.endCounted = end.offset;
        }

        private boolean isFull() {
            return rowsLeft == 0 || (bytesLeft == 0 && !keys.isEmpty());
        }

        private boolean hasCrossed() {
            return beginCounted >= endCounted && begin.base.compareTo(end.base) >= 0;
        }

        private void resolve() {
            boolean openBegin = !begin.isPlain();
            Counted counted = count(begin);
            begin = counted.target;
            atBegin = counted.piece;
            beginCounted = openBegin ? counted.offset : beginCounted;
            boolean openEnd = !end.isPlain();
            counted = count(end);
            end = counted.target;
            atEnd = counted.piece;
            endCounted = openEnd ? counted.offset : endCounted;
        }

        private record Counted(Target target, Piece piece, int offset) {}

        private Counted count(Target target) {
            List<Piece> pieces = pieces();
            int index = indexOf(pieces, target.base);
            String base = target.base;
            int offset = target.offset;
            if (offset <= 0 && index > 0 && pieces.get(index).begin.equals(base)) {
                index--;
            }
            if (offset > 1) {
                while (offset > 1
                        && pieces.get(index).isKnown()
                        && pieces.get(index).end.compareTo(ModelDatabase.END) < 0) {
                    offset -= pieces.get(index).is(Kind.ROW) ? 1 : 0;
                    index++;
                    base = pieces.get(index).begin;
                }
            } else {
                while (offset < 1 && pieces.get(index).isKnown() && index > 0) {
                    offset += pieces.get(index).is(Kind.ROW) ? 1 : 0;
                    if (offset == 1) {
                        base = pieces.get(index).begin;
                    } else {
                        index--;
                        base = pieces.get(index).end;
                    }
                }
            }
            int counted = offset;
            if (offset < 1 && pieces.get(index).isKnown()) {
                toBegin = true;
                return new Counted(new Target("", 1), pieces.get(index), counted);
            }
            if (offset > 1 && pieces.get(index).isKnown()) {
                toEnd = true;
                return new Counted(new Target(ModelDatabase.END, 1), pieces.get(index), counted);
            }
            while (pieces.get(index).is(Kind.EMPTY) && pieces.get(index).end.compareTo(ModelDatabase.END) < 0) {
                index++;
                base = pieces.get(index).begin;
            }
            return new Counted(new Target(base, offset), pieces.get(index), counted);
        }

        private static int indexOf(List<Piece> pieces, String key) {
            int index = 0;
            while (index + 1 < pieces.size() && pieces.get(index + 1).begin.compareTo(key) <= 0) {
                index++;
            }
            return index;
        }

        private Piece neighbour(Piece piece, int step) {
            List<Piece> pieces = pieces();
            int index = indexOf(pieces, piece.begin) + step;
            return pieces.get(Math.min(Math.max(index, 0), pieces.size() - 1));
        }

        private String note(String key) {
            toBegin |= key.isEmpty();
            toEnd |= key.equals(ModelDatabase.END);
            return key;
        }

        Chunk go(boolean reverse) {
            resolve();
            if (hasCrossed()) {
                return Chunk.NOTHING;
            }
            boolean beginsAtEnd = begin.isPlain() && begin.base.equals(ModelDatabase.END);
            boolean endsAtBegin = end.isPlain() && end.base.isEmpty();
            if (beginsAtEnd || endsAtBegin) {
                return none();
            }
            Target far = reverse ? begin : end;
            if (!far.isPlain() && begin.base.compareTo(end.base) > 0) {
                String key = note(keyOf(far));
                boolean passed = reverse
                        ? key.compareTo(end.base) >= 0 && end.offset <= 1
                        : begin.base.compareTo(key) >= 0 && begin.offset > 0;
                if (passed) {
                    return Chunk.NOTHING;
                }
                if (key.equals(reverse ? ModelDatabase.END : "")) {
                    return none();
                }
                resolve();
            }
            boolean goesOn = true;
            while (goesOn) {
                goesOn = reverse ? stepBack() : step();
            }
            return returned != null ? returned : result(reverse);
        }

        private Chunk none() {
            return new Chunk(List.of(), false, toBegin, toEnd);
        }

        private Chunk result(boolean reverse) {
            more |= isFull();
            Target far = reverse ? begin : end;
            if (far.isPlain()
                    && keys.removeIf(key -> reverse ? key.compareTo(far.base) < 0 : key.compareTo(far.base) >= 0)) {
                more = false;
            }
            return new Chunk(keys, more, toBegin && !(reverse && more), toEnd && (reverse || !more));
        }

        /** Goes one step forward; false at the end. */
        private boolean step() {
            if (keys.isEmpty() && hasCrossed()) {
                returned = Chunk.NOTHING;
                return false;
            }
            if (end.offset <= 1 && end.base.isEmpty()) {
                returned = none();
                return false;
            }
            boolean met = begin.offset >= end.offset && begin.base.compareTo(end.base) >= 0;
            if (met || (begin.offset >= 1 && begin.base.compareTo(ModelDatabase.END) >= 0)) {
                if (!end.isPlain() && !keys.isEmpty()) {
                    end = new Target(note(keyOf(end)), 1);
                }
                return false;
            }
            if (atBegin.isKnown() && atBegin.begin.compareTo(atEnd.begin) > 0) {
                returned = end.isPlain() ? null : none();
                return false;
            }
            if (isFull() && skippedFar >= 1 - end.offset) {
                return false;
            }
            boolean together = atBegin.begin.equals(atEnd.begin);
            boolean done = begin.offset > 0 && end.isPlain() && end.base.equals(atBegin.begin);
            if (together && (atBegin.isKnown() || done)) {
                return false;
            }
            if (atBegin.is(Kind.UNREADABLE)) {
                throw new UnreadableException();
            }
            if (atBegin.is(Kind.UNKNOWN)) {
                if (bytesLeft >= 0 && !keys.isEmpty() && skippedFar >= 1 - end.offset) {
                    more = true;
                    return false;
                }
                askForward();
                return true;
            }
            take(atBegin);
            atBegin = neighbour(atBegin, 1);
            return true;
        }

        /** Goes one step backward; false at the beginning. */
        private boolean stepBack() {
            if (keys.isEmpty() && hasCrossed()) {
                returned = Chunk.NOTHING;
                return false;
            }
            if (begin.offset > 0 && begin.base.compareTo(ModelDatabase.END) >= 0) {
                returned = none();
                return false;
            }
            boolean met = begin.offset >= end.offset && begin.base.compareTo(end.base) >= 0;
            if (met || (end.offset <= 1 && end.base.isEmpty())) {
                if (!begin.isPlain() && !keys.isEmpty()) {
                    begin = new Target(note(keyOf(begin)), 1);
                }
                return false;
            }
            boolean skipped = skippedFar >= begin.offset - 1;
            if (skipped && atEnd.isKnown() && atEnd.begin.compareTo(atBegin.begin) < 0) {
                returned = begin.isPlain() ? null : none();
                return false;
            }
            if (isFull() && skipped) {
                return false;
            }
            if (end.isPlain() && end.base.equals(atEnd.begin)) {
                if (skipped && atEnd.begin.equals(atBegin.begin)) {
                    return false;
                }
                atEnd = neighbour(atEnd, -1);
            }
            if (atEnd.is(Kind.UNREADABLE)) {
                throw new UnreadableException();
            }
            if (atEnd.is(Kind.UNKNOWN)) {
                if (bytesLeft >= 0 && !keys.isEmpty() && skipped) {
                    more = true;
                    return false;
                }
                askBackward();
                return true;
            }
            take(atEnd);
            if (atEnd.begin.equals(atBegin.begin)) {
                return false;
            }
            atEnd = neighbour(atEnd, -1);
            return true;
        }

        private void take(Piece piece) {
            boolean shows = piece.is(Kind.ROW) && (isSystem(piece.begin) || own.view.get(piece.begin) != null);
            if (!shows) {
                return;
            }
            if (isFull()) {
                skippedFar++;
                return;
            }
            keys.add(piece.begin);
            rowsLeft -= rowsLeft > 0 ? 1 : 0;
            bytesLeft = bytesLeft < 0 ? bytesLeft : Math.max(0, bytesLeft - bytes(piece.begin));
        }

        private void askForward() {
            int patience = asked == 0 ? 0 : 1 << Math.min(asked, 20);
            Ahead ahead = new Ahead(atBegin, 0);
            if (atBegin.begin.compareTo(atEnd.begin) < 0) {
                ahead = look(atBegin, atEnd, patience, 1);
            }
            int holes = ahead.holes;
            Target to;
            if (!ahead.last.begin.equals(atEnd.begin)) {
                to = new Target(ahead.last.end, 1);
                extraRows += end.offset < 1 ? 1 - end.offset : 0;
            } else if (end.offset < 1) {
                to = new Target(end.base, 1);
                extraRows += 1 - end.offset;
            } else {
                holes += end.offset > 1 ? holesBeyond(ahead.last, patience - holes, 1) : 0;
                to = end.offset > 1 ? end.plus(holes) : end;
            }
            extraRows += holes;
            Target from;
            if (begin.isPlain()) {
                begin = new Target(max(atBegin.begin, begin.base), 1);
                from = begin;
            } else if (begin.offset > 1) {
                from = new Target(begin.base, 1);
                extraRows += begin.offset - 1;
            } else {
                int before = holesBeyond(atBegin, patience, -1);
                from = begin.plus(-before);
                extraRows += before;
            }
            ask(from, new Target(max(to.base, from.base), to.offset), 2 - from.offset, false);
        }

        private void askBackward() {
            int patience = asked == 0 ? 0 : 1 << Math.min(asked, 20);
            Ahead ahead = new Ahead(atEnd, 0);
            if (atEnd.begin.compareTo(atBegin.begin) > 0) {
                ahead = look(atEnd, atBegin, patience, -1);
            }
            int holes = ahead.holes;
            Target from;
            if (!ahead.last.begin.equals(atBegin.begin)) {
                from = new Target(ahead.last.begin, 1);
                extraRows += begin.offset > 1 ? begin.offset - 1 : 0;
            } else if (begin.offset > 1) {
                from = new Target(begin.base, 1);
                extraRows += begin.offset - 1;
            } else {
                holes += begin.offset < 1 ? holesBeyond(ahead.last, patience - holes, -1) : 0;
                from = begin.offset < 1 ? begin.plus(-holes) : begin;
            }
            extraRows += holes;
            Target to;
            if (end.isPlain()) {
                end = new Target(min(atEnd.end, end.base), 1);
                to = end;
            } else if (end.offset < 1) {
                to = new Target(end.base, 1);
                extraRows += 1 - end.offset;
            } else {
                int behind = holesBeyond(atEnd, patience, 1);
                to = end.plus(behind);
                extraRows += behind;
            }
            ask(new Target(min(from.base, to.base), from.offset), to, to.offset, true);
        }

        private void ask(Target from, Target to, int offset, boolean reverse) {
            int least = Math.max(1 + extraRows, offset);
            int rows = rowsLeft < 0 ? -1 : Math.max(Math.max(1, rowsLeft) + extraRows, offset);
            int bytes = bytesLeft < 0 ? -1 : Math.min(bytesLeft << Math.min(asked, 20), 80_000);
            if (bytesLeft == 0) {
                rows = rowsLeft < 0 ? least : rows;
                bytes = -1;
            }
            Limits limits = new Limits(rows, bytes, least);
            asked++;
            extraRows = 0;
            learn(ClientReads.this.ask(from, to, limits, reverse), from, to, reverse);
            resolve();
        }

        /** The last piece to ask for, and the single keys on the way that are known to be empty. */
        private record Ahead(Piece last, int holes) {}

        private Ahead look(Piece first, Piece last, int patience, int step) {
            Piece at = first;
            int holes = 0;
            String emptySince = step > 0 ? first.end : first.begin;
            for (int i = 0; i < patience + 100 && !at.begin.equals(last.begin); i++) {
                if (at.is(Kind.UNREADABLE) || (at.is(Kind.EMPTY) && !isHole(at, emptySince, step))) {
                    break;
                }
                holes += at.is(Kind.EMPTY) ? 1 : 0;
                emptySince = at.is(Kind.EMPTY) ? emptySince : step > 0 ? at.end : at.begin;
                at = neighbour(at, step);
            }
            while (!at.is(Kind.UNKNOWN)) {
                at = neighbour(at, -step);
            }
            return new Ahead(at, Math.min(holes, patience));
        }

        private int holesBeyond(Piece first, int most, int step) {
            Piece at = first;
            int holes = 0;
            String emptySince = step > 0 ? first.end : first.begin;
            while (holes < most && (step > 0 ? at.end.compareTo(ModelDatabase.END) < 0 : !at.begin.isEmpty())) {
                if (at.is(Kind.UNREADABLE) || (at.is(Kind.EMPTY) && !isHole(at, emptySince, step))) {
                    break;
                }
                holes += at.is(Kind.EMPTY) ? 1 : 0;
                emptySince = at.is(Kind.EMPTY) ? emptySince : step > 0 ? at.end : at.begin;
                at = neighbour(at, step);
            }
            return holes;
        }

        private static boolean isHole(Piece piece, String emptySince, int step) {
            return step > 0
                    ? piece.end.equals(ModelKeyRange.after(emptySince))
                    : emptySince.equals(ModelKeyRange.after(piece.begin));
        }
    }

    private static String min(String one, String other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static String max(String one, String other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
