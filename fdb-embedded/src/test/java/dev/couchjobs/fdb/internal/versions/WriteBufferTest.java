package dev.couchjobs.fdb.internal.versions;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static dev.couchjobs.fdb.embedded.TestKeys.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.client.MergedScan;
import dev.couchjobs.fdb.internal.client.ReadView;
import dev.couchjobs.fdb.internal.keys.AtomicMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.ConflictRanges;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.keys.StampTemplate;
import dev.couchjobs.fdb.internal.keys.StampedKey;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WriteBufferTest {
    private static final CommitStamp STAMP = new CommitStamp(0x77, 1);

    private enum Kind {
        SET,
        CLEAR,
        CLEAR_RANGE,
        APPEND,
        BYTE_MAX,
        COMPARE_AND_CLEAR
    }

    record Write(Kind kind, String key, String other) {}

    @Test
    void theCommitDoesWhatTheWritesDoOneByOne() {
        Samples.check(1_000, samples -> {
            List<String> stored = stored(samples);
            List<Write> writes = writes(samples);

            NavigableMap<String, String> model = new TreeMap<>();
            OrderedMap<byte[]> data = MemoryContents.EMPTY.map();
            for (String name : stored) {
                model.put(name, name);
                data = data.put(key(name), key(name));
            }
            WriteBuffer buffer = new WriteBuffer();
            for (Write write : writes) {
                perform(write, buffer);
                perform(write, model);
            }
            assertThat(contents(applied(buffer, data))).isEqualTo(model);
            ReadView view = new ReadView(new MemoryContents(data), buffer, false, KeySpaceBounds.USER_END);
            assertThat(scanned(view, false)).containsExactlyElementsOf(List.copyOf(model.keySet()));
            assertThat(scanned(view, true)).containsExactlyElementsOf(List.copyOf(model.descendingKeySet()));
        });
    }

    @Test
    void whatIsDeterminedDoesNotDependOnTheDatabase() {
        Samples.check(1_000, samples -> {
            List<String> stored = stored(samples);
            List<Write> writes = writes(samples);
            String name = TestKeys.name(samples);

            WriteBuffer buffer = new WriteBuffer();
            writes.forEach(write -> perform(write, buffer));
            OrderedMap<byte[]> empty = MemoryContents.EMPTY.map();
            OrderedMap<byte[]> data = empty;
            for (String each : stored) {
                data = data.put(key(each), key(each));
            }
            if (buffer.isDetermined(key(name))) {
                assertThat(applied(buffer, data).get(key(name)))
                        .isEqualTo(applied(buffer, empty).get(key(name)));
            }
            ConflictRanges undetermined = new ConflictRanges();
            buffer.addUndetermined(Bytes.EMPTY, KeySpaceBounds.USER_END, undetermined);
            assertThat(contains(undetermined, name)).isEqualTo(!buffer.isDetermined(key(name)));
        });
    }

    @Test
    void aConflictFromBeforeTheWriteStays() {
        WriteBuffer buffer = new WriteBuffer();
        ConflictRanges conflicts = new ConflictRanges();
        buffer.addUndetermined(key("a"), key("c"), conflicts);
        buffer.set(key("b"), key("1"));
        buffer.addUndetermined(key("a"), key("c"), conflicts);
        assertThat(contains(conflicts, "b")).isTrue();
    }

    private static boolean contains(ConflictRanges ranges, String name) {
        return ranges.ranges().stream().anyMatch(range -> range.contains(key(name)));
    }

    @Test
    void aKeyClearedAfterItWasStampedIsNotWritten() {
        WriteBuffer buffer = new WriteBuffer();
        buffer.stampKey(stampedKey("early"));
        buffer.clear(key("k"), key("l"));
        buffer.stampKey(stampedKey("late"));
        OrderedMap<byte[]> data = applied(buffer, MemoryContents.EMPTY.map());
        assertThat(contents(data).values()).containsExactly("late");
    }

    @Test
    void aRangeIsUnreadableUntilItIsCleared() {
        WriteBuffer buffer = new WriteBuffer();
        buffer.stampKey(stampedKey("x"));
        assertThat(buffer.isUnreadable(key("k"), key("l"))).isTrue();
        assertThat(buffer.isUnreadable(key("a"), key("k"))).isFalse();
        buffer.clear(key("k"), key("l"));
        assertThat(buffer.isUnreadable(key("k"), key("l"))).isFalse();
    }

    @Test
    void aStampedValueSetOverIsStillUnreadable() {
        WriteBuffer buffer = new WriteBuffer();
        byte[] operand = new byte[CommitStamp.BYTES + Integer.BYTES];
        buffer.mutate(AtomicMutation.SET_VERSIONSTAMPED_VALUE, key("v"), operand);
        buffer.set(key("v"), key("1"));
        assertThat(buffer.isUnreadable(key("v"), Bytes.after(key("v")))).isTrue();
        assertThat(contents(applied(buffer, MemoryContents.EMPTY.map()))).containsEntry("v", "1");
    }

    @Test
    void overwritingAKeyDoesNotMakeTheTransactionLarger() {
        WriteBuffer buffer = new WriteBuffer();
        buffer.set(key("a"), new byte[1_000]);
        long once = buffer.bytes();
        for (int i = 0; i < 100; i++) {
            buffer.set(key("a"), new byte[1_000]);
            buffer.mutate(AtomicMutation.ADD, key("b"), new byte[8]);
        }
        assertThat(buffer.bytes()).isBetween(once, once + 100);
    }

    private static List<String> stored(Samples samples) {
        return samples.list(0, 20, TestKeys::name);
    }

    private static List<Write> writes(Samples samples) {
        return samples.list(0, 30, WriteBufferTest::write);
    }

    private static Write write(Samples samples) {
        return new Write(samples.of(Kind.values()), TestKeys.name(samples), TestKeys.name(samples));
    }

    private static void perform(Write write, WriteBuffer buffer) {
        byte[] key = key(write.key);
        byte[] other = key(write.other);
        switch (write.kind) {
            case SET -> buffer.set(key, other);
            case CLEAR -> buffer.clear(key);
            case CLEAR_RANGE -> {
                if (Bytes.less(key, other)) {
                    buffer.clear(key, other);
                }
            }
            case APPEND -> buffer.mutate(AtomicMutation.APPEND_IF_FITS, key, other);
            case BYTE_MAX -> buffer.mutate(AtomicMutation.BYTE_MAX, key, other);
            case COMPARE_AND_CLEAR -> buffer.mutate(AtomicMutation.COMPARE_AND_CLEAR, key, other);
        }
    }

    private static void perform(Write write, NavigableMap<String, String> model) {
        switch (write.kind) {
            case SET -> model.put(write.key, write.other);
            case CLEAR -> model.remove(write.key);
            case CLEAR_RANGE ->
                model.keySet().removeIf(name -> name.compareTo(write.key) >= 0 && name.compareTo(write.other) < 0);
            case APPEND -> model.merge(write.key, write.other, String::concat);
            case BYTE_MAX -> model.merge(write.key, write.other, (one, two) -> one.compareTo(two) < 0 ? two : one);
            case COMPARE_AND_CLEAR -> model.remove(write.key, write.other);
        }
    }

    private static OrderedMap<byte[]> applied(WriteBuffer buffer, OrderedMap<byte[]> data) {
        MemoryContents.MemoryEdit edit = new MemoryContents.MemoryEdit(data);
        buffer.applyTo(edit, STAMP);
        return edit.contents().map();
    }

    private static NavigableMap<String, String> contents(OrderedMap<byte[]> data) {
        NavigableMap<String, String> contents = new TreeMap<>();
        Cursor<byte[]> cursor = data.ascending(Bytes.EMPTY);
        for (MapNode<byte[]> node = cursor.peek(); node != null; node = cursor.peek()) {
            contents.put(text(node.key), text(node.value));
            cursor.advance();
        }
        return contents;
    }

    private static List<String> scanned(ReadView view, boolean reverse) {
        List<String> names = new ArrayList<>();
        try (MergedScan scan = view.scan(Bytes.EMPTY, KeySpaceBounds.USER_END, reverse)) {
            for (KeyValuePair entry = scan.next(); entry != null; entry = scan.next()) {
                names.add(text(entry.key()));
            }
        }
        return names;
    }

    private static StampedKey stampedKey(String value) {
        StampTemplate template = new StampTemplate(key("k0123456789"), 1);
        return new StampedKey(template, key(value), template.possibleKeys(0));
    }
}
