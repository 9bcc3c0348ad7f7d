package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.client.MergedScan;
import dev.couchjobs.fdb.internal.client.ReadView;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.MemoryContents;
import dev.couchjobs.fdb.internal.versions.OrderedMap;
import dev.couchjobs.fdb.internal.versions.Scan;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a read costs behind many clears of its own transaction, counted in scans opened and entries stepped over. */
class OwnClearsTest {
    private static final int ROWS = 2_000;
    private static final int MOST_STEPS_A_ROW = 6;

    private long steps;

    @Test
    void eatingAQueueFromItsHeadStepsOverEachRowAFewTimes() {
        assertThat(eaten(false)).isEqualTo(ROWS);
        assertThat(steps).isLessThan((long) MOST_STEPS_A_ROW * ROWS);
    }

    @Test
    void eatingAQueueFromItsTailStepsOverEachRowAFewTimes() {
        assertThat(eaten(true)).isEqualTo(ROWS);
        assertThat(steps).isLessThan((long) MOST_STEPS_A_ROW * ROWS);
    }

    @Test
    void whatWasFoundEmptyIsNotEmptyOfOwnRows() {
        WriteBuffer writes = new WriteBuffer();
        ReadView view = new ReadView(new Counted(rows()), writes, false, KeySpaceBounds.USER_END);
        for (int i = 0; i < ROWS; i++) {
            writes.clear(row(i));
        }
        assertThat(next(view, false)).isNull();
        writes.set(row(7), key("own"));
        assertThat(next(view, false)).isEqualTo(row(7));
        assertThat(next(view, true)).isEqualTo(row(7));
        writes.clear(row(7));
        assertThat(next(view, true)).isNull();
    }

    private int eaten(boolean fromTail) {
        WriteBuffer writes = new WriteBuffer();
        ReadView view = new ReadView(new Counted(rows()), writes, false, KeySpaceBounds.USER_END);
        int eaten = 0;
        for (byte[] next = next(view, fromTail); next != null; next = next(view, fromTail)) {
            writes.clear(next);
            eaten++;
        }
        return eaten;
    }

    private static byte @Nullable [] next(ReadView view, boolean reverse) {
        try (MergedScan scan = view.scan(key("queue/"), key("queue0"), reverse)) {
            KeyValuePair entry = scan.next();
            return entry == null ? null : entry.key();
        }
    }

    private static MemoryContents rows() {
        OrderedMap<byte[]> rows = MemoryContents.EMPTY.map();
        for (int i = 0; i < ROWS; i++) {
            rows = rows.put(row(i), key("job"));
        }
        return new MemoryContents(rows.put(key("a"), key("before")).put(key("z"), key("behind")));
    }

    private static byte[] row(int number) {
        return key("queue/%06d".formatted(number));
    }

    /** Counts what is asked of the contents beneath. */
    private final class Counted implements Contents {
        private final Contents contents;

        Counted(Contents contents) {
            this.contents = contents;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return contents.get(key);
        }

        @Override
        public Scan ascending(byte[] from, byte[] end) {
            return counted(contents.ascending(from, end));
        }

        @Override
        public Scan descending(byte[] before, byte[] end) {
            return counted(contents.descending(before, end));
        }

        private Scan counted(Scan scan) {
            steps++;
            return new Scan() {
                @Override
                public boolean isOnEntry() {
                    return scan.isOnEntry();
                }

                @Override
                public byte[] key() {
                    return scan.key();
                }

                @Override
                public byte[] value() {
                    return scan.value();
                }

                @Override
                public void advance() {
                    steps++;
                    scan.advance();
                }

                @Override
                public void close() {
                    scan.close();
                }
            };
        }

        @Override
        public Contents with(List<BaseMutation> mutations, long version) {
            return contents.with(mutations, version);
        }

        @Override
        public long bytes(byte[] begin, byte[] end) {
            return contents.bytes(begin, end);
        }

        @Override
        public List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes) {
            return contents.splitPoints(begin, end, chunkBytes);
        }
    }
}
