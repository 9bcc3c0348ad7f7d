package dev.couchjobs.topics.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rows of the only topic, decoded by what is documented of them, and those that handlers write beside them. */
final class TopicRows {
    static final Subspace EFFECTS = new Subspace(Tuple.from("effects"));
    static final Subspace COMMITTERS = new Subspace(Tuple.from("committers"));
    static final Subspace SEEKS = new Subspace(Tuple.from("seeks"));
    private static final Subspace TOPICS = new Subspace(Tuple.from("couch_topics", "topics"));
    private static final Subspace DATA = new Subspace(Tuple.from("couch_topics", "data"));

    private final ReadTransaction tx;
    private final Subspace topic;

    private TopicRows(ReadTransaction tx, Subspace topic) {
        this.tx = tx;
        this.topic = topic;
    }

    /** {@return the rows as a transaction sees them; null if there is no topic yet} */
    static @Nullable TopicRows of(ReadTransaction tx) {
        List<KeyValue> topics = tx.getRange(TOPICS.range()).asList().join();
        return topics.isEmpty()
                ? null
                : new TopicRows(
                        tx, DATA.get(Tuple.fromBytes(topics.get(0).getValue()).getLong(1)));
    }

    /**
     * A message in the log.
     *
     * @param value of a deletion what its header says
     */
    record Stored(
            Versionstamp stamp, String value, @Nullable String key, boolean isDeletion) {}

    /** A partition as a group has it. */
    record Held(
            Versionstamp stamp,
            long number,
            long epoch,
            @Nullable String holder) {}

    /** Up to where retention has removed a partition. */
    record Trimmed(Versionstamp stamp, long messages) {}

    /** {@return the messages of a partition behind one of them} */
    List<Stored> messages(int partition, @Nullable Versionstamp after) {
        Subspace log = topic.get("log").get(partition);
        Range range = after == null ? log.range() : new Range(behind(log.pack(after)), log.range().end);
        List<Stored> messages = new ArrayList<>();
        for (KeyValue row : read(range)) {
            messages.add(stored(log.unpack(row.getKey()).getVersionstamp(0), ByteBuffer.wrap(row.getValue())));
        }
        return messages;
    }

    private static Stored stored(Versionstamp stamp, ByteBuffer row) {
        int behindFormatTokenAndTime = 1 + Long.BYTES + Long.BYTES;
        row.position(behindFormatTokenAndTime);
        String key = text(row, row.getShort());
        List<String> headers = new ArrayList<>();
        for (int texts = 2 * row.getShort(); texts > 0; texts--) {
            headers.add(text(row, row.getShort()));
        }
        if (row.get() == 1) {
            return new Stored(stamp, headers.get(1), key, true);
        }
        String json = Objects.requireNonNull(text(row, row.remaining()));
        return new Stored(stamp, json.substring(1, json.length() - 1), key, false);
    }

    private static @Nullable String text(ByteBuffer row, int length) {
        if (length < 0) {
            return null;
        }
        byte[] text = new byte[length];
        row.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** {@return the messages of keys in a compacted partition, by tuples of key and stamp} */
    Set<Tuple> ofKeys(int partition) {
        Subspace keys = topic.get("key").get(partition);
        return read(keys.range()).stream().map(row -> keys.unpack(row.getKey())).collect(Collectors.toSet());
    }

    private static byte[] behind(byte[] key) {
        byte[] next = Arrays.copyOf(key, key.length + 1);
        next[key.length] = (byte) 0xFF;
        return next;
    }

    /** {@return how many messages were appended to a partition, as its tail counts them} */
    long tail(int partition) {
        byte[] value = tx.get(topic.get("tail").pack(partition)).join();
        return value == null
                ? 0
                : ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong(Long.BYTES);
    }

    /** {@return what retention has removed, by partitions} */
    Map<Integer, Trimmed> trims() {
        Subspace trims = topic.get("trim");
        Map<Integer, Trimmed> all = new HashMap<>();
        for (KeyValue row : read(trims.range())) {
            Tuple value = Tuple.fromBytes(row.getValue());
            all.put(
                    (int) trims.unpack(row.getKey()).getLong(0),
                    new Trimmed(value.getVersionstamp(0), value.getLong(1)));
        }
        return all;
    }

    /** {@return the partitions of all groups, by tuples of group and partition} */
    Map<Tuple, Held> claims() {
        Subspace claims = topic.get("claim");
        Map<Tuple, Held> all = new HashMap<>();
        for (KeyValue row : read(claims.range())) {
            Tuple value = Tuple.fromBytes(row.getValue());
            all.put(
                    claims.unpack(row.getKey()),
                    new Held(value.getVersionstamp(1), value.getLong(2), value.getLong(4), value.getString(5)));
        }
        return all;
    }

    /** {@return the members of all groups, by groups} */
    Map<String, Set<String>> members() {
        Subspace members = topic.get("member");
        Map<String, Set<String>> all = new HashMap<>();
        for (KeyValue row : read(members.range())) {
            Tuple key = members.unpack(row.getKey());
            all.computeIfAbsent(key.getString(0), group -> new TreeSet<>()).add(key.getString(1));
        }
        return all;
    }

    /** {@return how often each message has had its effect, by tuples of group and value} */
    Map<Tuple, Integer> effects() {
        Map<Tuple, Integer> all = new HashMap<>();
        read(EFFECTS.range()).forEach(row -> all.put(EFFECTS.unpack(row.getKey()), (int) row.getValue()[0]));
        return all;
    }

    /** {@return who has committed effects last, by tuples of group and partition} */
    Map<Tuple, Tuple> committers() {
        Map<Tuple, Tuple> all = new HashMap<>();
        read(COMMITTERS.range())
                .forEach(row -> all.put(COMMITTERS.unpack(row.getKey()), Tuple.fromBytes(row.getValue())));
        return all;
    }

    /** {@return how often each group was moved on purpose} */
    Map<String, Integer> seeks() {
        Map<String, Integer> all = new HashMap<>();
        read(SEEKS.range())
                .forEach(row -> all.put(
                        SEEKS.unpack(row.getKey()).getString(0),
                        ByteBuffer.wrap(row.getValue())
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .getInt()));
        return all;
    }

    private List<KeyValue> read(Range range) {
        return tx.getRange(range).asList().join();
    }
}
