package dev.couchjobs.fdb.internal.base;

import static dev.couchjobs.fdb.internal.base.BaseText.bytes;
import static dev.couchjobs.fdb.internal.base.BaseText.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.testing.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EmptyRangesTest {
    /** Either a gap that was found, or, without an end, a key that is set. */
    record Event(String begin, @Nullable String end) {}

    @Test
    void aGapNeverHidesAKey() {
        Samples.check(1_000, samples -> {
            List<Event> events = events(samples);
            String probe = TestKeys.name(samples);

            TreeSet<String> keys = new TreeSet<>();
            EmptyRanges gaps = EmptyRanges.NONE;
            for (Event event : events) {
                if (event.end == null) {
                    keys.add(event.begin);
                    gaps = gaps.without(set(event.begin));
                } else if (event.begin.compareTo(event.end) < 0) {
                    keys.subSet(event.begin, event.end).clear();
                    gaps = gaps.with(bytes(event.begin), bytes(event.end));
                }
            }
            String up = text(gaps.skipUpwards(bytes(probe)));
            String down = text(gaps.skipDownwards(bytes(probe)));
            assertThat(up).isGreaterThanOrEqualTo(probe);
            assertThat(down).isLessThanOrEqualTo(probe);
            assertThat(keys.ceiling(up)).isEqualTo(keys.ceiling(probe));
            assertThat(keys.lower(down)).isEqualTo(keys.lower(probe));
        });
    }

    @Test
    void gapsThatTouchBecomeOne() {
        EmptyRanges gaps = EmptyRanges.NONE
                .with(bytes("a"), bytes("c"))
                .with(bytes("e"), bytes("g"))
                .with(bytes("c"), bytes("f"));
        assertThat(text(gaps.skipUpwards(bytes("b")))).isEqualTo("g");
        assertThat(text(gaps.skipDownwards(bytes("f")))).isEqualTo("a");
    }

    @Test
    void aKeyThatIsSetEndsOneGapAndBeginsAnother() {
        EmptyRanges gaps = EmptyRanges.NONE.with(bytes("a"), bytes("z")).without(set("m"));
        assertThat(text(gaps.skipUpwards(bytes("a")))).isEqualTo("m");
        assertThat(text(gaps.skipUpwards(bytes("n")))).isEqualTo("z");
        assertThat(text(gaps.skipDownwards(bytes("z")))).isEqualTo("m\0");
    }

    @Test
    void ofVeryManyGapsThoseThatGrewLastAreKept() {
        EmptyRanges gaps = EmptyRanges.NONE;
        for (int i = 0; i < 1000; i++) {
            gaps = gaps.with(bytes("key%04d-0".formatted(i)), bytes("key%04d-5".formatted(i)));
            gaps = gaps.with(bytes("key0000-5"), bytes("key0000-6"));
        }
        assertThat(text(gaps.skipUpwards(bytes("key0000-0")))).isEqualTo("key0000-6");
        assertThat(text(gaps.skipUpwards(bytes("key0999-0")))).isEqualTo("key0999-5");
        assertThat(text(gaps.skipUpwards(bytes("key0500-0")))).isEqualTo("key0500-0");
    }

    private static List<Event> events(Samples samples) {
        return samples.list(0, 30, EmptyRangesTest::event);
    }

    private static Event event(Samples samples) {
        return new Event(TestKeys.name(samples), samples.anyBoolean() ? TestKeys.name(samples) : null);
    }

    private static NavigableMap<byte[], byte[]> set(String key) {
        NavigableMap<byte[], byte[]> keys = new TreeMap<>(Arrays::compareUnsigned);
        keys.put(bytes(key), bytes("value"));
        return keys;
    }
}
