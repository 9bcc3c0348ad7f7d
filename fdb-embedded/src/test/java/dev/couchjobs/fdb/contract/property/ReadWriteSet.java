package dev.couchjobs.fdb.contract.property;

import java.util.BitSet;

/**
 * What a transaction has read and written, over numbered slots: slot {@code 2i + 1} is the key with index {@code i},
 * the even slots are the gaps around the keys. The slots that own writes determine are not read from the database.
 */
final class ReadWriteSet {

    private static final int END = 2 * Alphabet.SIZE + 2;

    private final BitSet reads = new BitSet();
    private final BitSet possibleReads = new BitSet();
    private final BitSet writes = new BitSet();
    private final BitSet determined = new BitSet();

    static int slot(int key) {
        return 2 * key + 1;
    }

    void readKey(int key) {
        read(slot(key), slot(key) + 1);
    }

    void readRange(int begin, int end) {
        read(slot(begin), slot(end));
    }

    /** A range read that a limit ended at this row. */
    void readUpTo(int begin, int lastRow) {
        read(slot(begin), slot(lastRow) + 1);
    }

    /** A reverse range read that a limit ended at this row. */
    void readBackTo(int lastRow, int end) {
        read(slot(lastRow), slot(end));
    }

    /** A selector: everything between its base and the key that it leads to. */
    void readSelector(Selector selector, int result) {
        int base = slot(selector.base()) + (selector.orEqual() ? 1 : 0);
        if (selector.offset() > 0) {
            read(base, result == Alphabet.SIZE ? END : slot(result) + 1);
        } else {
            read(result < 0 ? 0 : slot(result), base);
        }
    }

    /** A read that is not modelled: it may have been of anything, and is not known to be of any slot. */
    void readSomething() {
        possibleReads.set(0, END);
    }

    private void read(int from, int to) {
        if (from < to) {
            BitSet range = new BitSet();
            range.set(from, to);
            range.andNot(determined);
            reads.or(range);
            possibleReads.or(range);
        }
    }

    /** A set or a clear. */
    void overwrite(int begin, int end) {
        writeRange(begin, end);
        if (begin < end) {
            determined.set(slot(begin), slot(end));
        }
    }

    void writeRange(int begin, int end) {
        if (begin < end) {
            writes.set(slot(begin), slot(end));
        }
    }

    void overwriteKey(int key) {
        writes.set(slot(key));
        determined.set(slot(key));
    }

    void mutateKey(int key) {
        writes.set(slot(key));
    }

    boolean readsWhatIsWrittenBy(ReadWriteSet other) {
        return reads.intersects(other.writes);
    }

    boolean mayReadWhatIsWrittenBy(ReadWriteSet other) {
        return possibleReads.intersects(other.writes);
    }

    @Override
    public String toString() {
        return "reads " + reads + ", writes " + writes;
    }
}
