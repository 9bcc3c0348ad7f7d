package dev.couchjobs.fdb.internal.commit;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResolverTest {
    record Range(String begin, String end) {
        KeyRange keys() {
            return new KeyRange(key(begin), key(end));
        }

        boolean meets(Range other) {
            return begin.compareTo(other.end) < 0 && other.begin.compareTo(end) < 0;
        }
    }

    @Test
    void itFindsExactlyTheLaterWritesThatMeetARead() {
        Samples.check(1_000, samples -> {
            List<Range> writes = ranges(samples);
            Range read = range(samples);
            int readAt = samples.between(0, 30);
            int generation = samples.between(1, 40);

            Resolver resolver = new Resolver(generation);
            boolean expected = false;
            long version = 0;
            for (Range write : writes) {
                version++;
                resolver.recordWrites(List.of(write.keys()), version);
                expected |= version > readAt && write.meets(read);
            }
            assertThat(resolver.conflicts(List.of(read.keys()), readAt)).isEqualTo(expected);
        });
    }

    @Test
    void forgettingChangesNothingForReadsWithinTheWindow() {
        Samples.check(1_000, samples -> {
            List<Range> writes = ranges(samples);
            Range read = range(samples);
            int horizon = samples.between(0, 30);
            int later = samples.between(0, 30);
            int generation = samples.between(1, 40);

            Resolver remembering = new Resolver();
            Resolver forgetting = new Resolver(generation);
            long version = 0;
            for (Range write : writes) {
                version++;
                remembering.recordWrites(List.of(write.keys()), version);
                forgetting.recordWrites(List.of(write.keys()), version);
                forgetting.evictUpTo(Math.min(horizon, version));
            }
            int readAt = horizon + later;
            assertThat(forgetting.conflicts(List.of(read.keys()), readAt))
                    .isEqualTo(remembering.conflicts(List.of(read.keys()), readAt));
        });
    }

    @Test
    void itKeepsNoMoreThanOneGenerationOfWritesThatAreOutOfTheWindow() {
        Samples.check(1_000, samples -> {
            List<Range> writes = ranges(samples);

            Resolver resolver = new Resolver(3);
            long version = 0;
            for (Range write : writes) {
                resolver.recordWrites(List.of(write.keys()), ++version);
                resolver.evictUpTo(version - 6);
                assertThat(resolver.size()).isLessThanOrEqualTo(3);
            }
            resolver.evictUpTo(version);
            assertThat(resolver.size()).isZero();
        });
    }

    @Test
    void aReadAtTheNewestVersionNeverConflicts() {
        Resolver resolver = new Resolver();
        resolver.recordWrites(List.of(new Range("a", "b").keys()), 7);
        assertThat(resolver.conflicts(List.of(new Range("a", "b").keys()), 7)).isFalse();
        assertThat(resolver.conflicts(List.of(new Range("a", "b").keys()), 6)).isTrue();
    }

    @Test
    void oneOfManyReadsIsEnough() {
        Resolver resolver = new Resolver();
        List<KeyRange> reads = new ArrayList<>();
        resolver.recordWrites(List.of(new Range("d", "e").keys()), 7);
        reads.add(new Range("a", "b").keys());
        assertThat(resolver.conflicts(reads, 6)).isFalse();
        reads.add(new Range("c", "dd").keys());
        assertThat(resolver.conflicts(reads, 6)).isTrue();
    }

    private static Range range(Samples samples) {
        String one = TestKeys.name(samples);
        String other = TestKeys.name(samples);
        return one.compareTo(other) < 0 ? new Range(one, other) : new Range(other, one + "a");
    }

    private static List<Range> ranges(Samples samples) {
        return samples.list(0, 30, ResolverTest::range);
    }
}
