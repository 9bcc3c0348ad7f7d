package dev.couchjobs.simulation;

import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the attempts at a job have written down.
 *
 * @param entries in the order of their keys
 * @param checkpoint the one that the next attempt is told of
 */
record LogRows(List<Entry> entries, @Nullable Entry checkpoint) {
    static final LogRows EMPTY = new LogRows(List.of(), null);

    /** A row; its kind is log or checkpoint. */
    record Entry(long number, long claim, String kind, String json) {
        static Entry decode(byte[] value) {
            Tuple entry = Tuple.fromBytes(value);
            return new Entry(entry.getLong(0), entry.getLong(1), entry.getString(3), entry.getString(4));
        }

        boolean isCheckpoint() {
            return kind.equals("checkpoint");
        }
    }

    /** {@return this one with one more row} */
    LogRows with(Object name, byte[] value) {
        if (name instanceof Long) {
            entries.add(Entry.decode(value));
            return this;
        }
        return name.equals("checkpoint") ? new LogRows(entries, Entry.decode(value)) : this;
    }

    /** {@return the last entry that is a checkpoint, if none was ever forgotten} */
    @Nullable Entry lastCheckpoint() {
        Entry last = null;
        for (Entry entry : entries) {
            last = entry.isCheckpoint() ? entry : last;
        }
        return last;
    }

    /** {@return what is there beyond another; null if that is not how this begins} */
    @Nullable List<Entry> since(LogRows before) {
        int known = before.entries.size();
        return entries.size() >= known && entries.subList(0, known).equals(before.entries)
                ? entries.subList(known, entries.size())
                : null;
    }
}
