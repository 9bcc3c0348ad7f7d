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
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rows of the only topic, decoded by what is documented of them, and those that handlers write beside them. */
final class TopicRows {
    static final Subspace EFFECTS = new Subspace(Tuple.from("effects"));
    static final Subspace COMMITTERS = new Subspace(Tuple.from("committers"));
    static final Subspace SEEKS = new Subspace(Tuple.from("seeks"));
    private static final Subspace TOPICS = new Subspace(Tuple.from("couch_topics", "topics"));
    private static final Subspace DATA = new Subspace(Tuple.from("couch_topics", "data"));

    /** The rows of a subspace, each decoded, and all of them. */
    private record Decoded<K, V>(List<KeyValue> rows, List<Map.Entry<K, V>> entries, Map<K, V> all) {
        static final Decoded<?, ?> NONE = new Decoded<>(List.of(), List.of(), Map.of());
    }

    /** What one who looks again and again has decoded before. */
    static final class Memory {
        private @Nullable Subspace topic;
        private final Map<Subspace, Decoded<?, ?>> decoded = new HashMap<>();
    }

    private final ReadTransaction tx;
    private final Memory memory;
    private final Subspace topic;

    private TopicRows(ReadTransaction tx, Memory memory, Subspace topic) {
        this.tx = tx;
        this.memory = memory;
        this.topic = topic;
    }

    /** {@return the rows as a transaction sees them; null if there is no topic yet} */
    static @Nullable TopicRows of(ReadTransaction tx) {
        return of(tx, new Memory());
    }

    /** The same, for one who looks again and again: what has not changed is not decoded again. */
    static @Nullable TopicRows of(ReadTransaction tx, Memory memory) {
        Subspace topic = memory.topic;
        if (topic == null) {
            List<KeyValue> topics = tx.getRange(TOPICS.range()).asList().join();
            if (topics.isEmpty()) {
                return null;
            }
            topic = DATA.get(Tuple.fromBytes(topics.get(0).getValue()).getLong(1));
            memory.topic = topic;
        }
        return new TopicRows(tx, memory, topic);
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

    /** {@return how many messages were appended, as the tails count them, by partitions} */
    Map<Integer, Long> tails() {
        Subspace tails = topic.get("tail");
        return read(
                tails,
                row -> Map.entry(
                        (int) tails.unpack(row.getKey()).getLong(0),
                        ByteBuffer.wrap(row.getValue())
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .getLong(Long.BYTES)));
    }

    /** {@return what retention has removed, by partitions} */
    Map<Integer, Trimmed> trims() {
        Subspace trims = topic.get("trim");
        return read(trims, row -> {
            Tuple value = Tuple.fromBytes(row.getValue());
            return Map.entry(
                    (int) trims.unpack(row.getKey()).getLong(0),
                    new Trimmed(value.getVersionstamp(0), value.getLong(1)));
        });
    }

    /** {@return the partitions of all groups, by tuples of group and partition} */
    Map<Tuple, Held> claims() {
        Subspace claims = topic.get("claim");
        return read(claims, row -> {
            Tuple value = Tuple.fromBytes(row.getValue());
            return Map.entry(
                    claims.unpack(row.getKey()),
                    new Held(value.getVersionstamp(1), value.getLong(2), value.getLong(4), value.getString(5)));
        });
    }

    /** {@return the members of all groups, by tuples of group and name} */
    Set<Tuple> members() {
        Subspace members = topic.get("member");
        return read(members, row -> Map.entry(members.unpack(row.getKey()), true))
                .keySet();
    }

    /** {@return how often each message has had its effect, by tuples of group and value} */
    Map<Tuple, Integer> effects() {
        return read(EFFECTS, row -> Map.entry(EFFECTS.unpack(row.getKey()), (int) row.getValue()[0]));
    }

    /** {@return who has committed effects last, by tuples of group and partition} */
    Map<Tuple, Tuple> committers() {
        return read(COMMITTERS, row -> Map.entry(COMMITTERS.unpack(row.getKey()), Tuple.fromBytes(row.getValue())));
    }

    /** {@return how often each group was moved on purpose} */
    Map<String, Integer> seeks() {
        return read(
                SEEKS,
                row -> Map.entry(
                        SEEKS.unpack(row.getKey()).getString(0),
                        ByteBuffer.wrap(row.getValue())
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .getInt()));
    }

    private <K, V> Map<K, V> read(Subspace subspace, Function<KeyValue, Map.Entry<K, V>> decode) {
        @SuppressWarnings("unchecked") // a subspace has rows of one kind
        Decoded<K, V> before = (Decoded<K, V>) memory.decoded.getOrDefault(subspace, Decoded.NONE);
        List<KeyValue> rows = read(subspace.range());
        if (rows.equals(before.rows())) {
            return before.all();
        }
        List<Map.Entry<K, V>> entries = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            KeyValue row = rows.get(i);
            boolean isKnown =
                    i < before.rows().size() && row.equals(before.rows().get(i));
            entries.add(isKnown ? before.entries().get(i) : decode.apply(row));
        }
        Map<K, V> all = new HashMap<>();
        entries.forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        memory.decoded.put(subspace, new Decoded<>(rows, entries, all));
        return all;
    }

    private List<KeyValue> read(Range range) {
        return tx.getRange(range).asList().join();
    }
}
