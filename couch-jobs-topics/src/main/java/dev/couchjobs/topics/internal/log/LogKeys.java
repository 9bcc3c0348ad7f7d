package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.Arrays;

/** The keys of one topic's data. A topic that is created again under the same name has others. */
public final class LogKeys {
    private static final byte[] BEHIND_ALL_ROWS = {(byte) 0xFF};

    private final Subspace root;
    private final Subspace messages;
    private final Subspace tails;
    private final Subspace marks;
    private final Subspace trims;
    private final Subspace ofKeys;

    LogKeys(Subspace root) {
        this.root = root;
        messages = root.get("log");
        tails = root.get("tail");
        marks = root.get("mark");
        trims = root.get("trim");
        ofKeys = root.get("key");
    }

    Range all() {
        return root.range();
    }

    /** {@return where the rows of another part of the topic are} */
    public Subspace part(String name) {
        return root.get(name);
    }

    /** {@return the prefix of the stamps of a partition's messages} */
    byte[] messages(int partition) {
        return messages.pack(partition);
    }

    /** {@return the messages of a partition behind a place} */
    Range messagesAfter(int partition, Versionstamp place) {
        return new Range(
                ByteArrayUtil.join(messages.pack(Tuple.from(partition, place)), BEHIND_ALL_ROWS),
                messages.range(Tuple.from(partition)).end);
    }

    /** {@return the messages of a partition up to a place, with it} */
    Range messagesUpTo(int partition, Versionstamp place) {
        return new Range(
                messages.range(Tuple.from(partition)).begin,
                ByteArrayUtil.join(messages.pack(Tuple.from(partition, place)), BEHIND_ALL_ROWS));
    }

    /** {@return all rows of a message} */
    Range message(int partition, Versionstamp place) {
        byte[] first = messages.pack(Tuple.from(partition, place));
        return new Range(first, ByteArrayUtil.join(first, BEHIND_ALL_ROWS));
    }

    /** {@return the prefix of the stamps of the messages of a key} */
    byte[] stampsOfKey(int partition, String key) {
        return ofKeys.pack(Tuple.from(partition, key));
    }

    /** {@return where a key has its messages, in order} */
    Range ofKey(int partition, String key) {
        return ofKeys.range(Tuple.from(partition, key));
    }

    byte[] ofKey(int partition, String key, Versionstamp place) {
        return ofKeys.pack(Tuple.from(partition, key, place));
    }

    Versionstamp stampOfKey(byte[] row) {
        return ofKeys.unpack(row).getVersionstamp(2);
    }

    /**
     * {@return the stamp in the key of a message's row}
     *
     * @param prefix of its partition; the code of a stamp and the stamp follow, and then the number of a chunk
     */
    static Versionstamp stamp(byte[] prefix, byte[] key) {
        int begin = prefix.length + 1;
        return Versionstamp.fromBytes(Arrays.copyOfRange(key, begin, begin + Versionstamp.LENGTH));
    }

    /** {@return whether the row with a key is a chunk} */
    static boolean isChunk(byte[] prefix, byte[] key) {
        return key.length > prefix.length + 1 + Versionstamp.LENGTH;
    }

    /** {@return the key that every append to a partition changes} */
    public byte[] tail(int partition) {
        return tails.pack(partition);
    }

    Range tails() {
        return tails.range();
    }

    int partitionOfTail(byte[] key) {
        return (int) tails.unpack(key).getLong(0);
    }

    byte[] mark(int partition, long version) {
        return marks.pack(Tuple.from(partition, version));
    }

    Range marks(int partition) {
        return marks.range(Tuple.from(partition));
    }

    /** {@return the marks of a partition at a version or before} */
    Range marksUpTo(int partition, long version) {
        return new Range(marks.range(Tuple.from(partition)).begin, marks.pack(Tuple.from(partition, version + 1)));
    }

    Range marksBefore(int partition, long version) {
        return new Range(marks.range(Tuple.from(partition)).begin, marks.pack(Tuple.from(partition, version)));
    }

    long versionOfMark(byte[] key) {
        return marks.unpack(key).getLong(1);
    }

    byte[] trim(int partition) {
        return trims.pack(partition);
    }

    Range trims() {
        return trims.range();
    }

    int partitionOfTrim(byte[] key) {
        return (int) trims.unpack(key).getLong(0);
    }
}
