package dev.couchjobs.fdb.internal.commit;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ResolverTest {
    record Range(String begin, String end) {
        KeyRange keys() {
            return new KeyRange(key(begin), key(end));
        }

        boolean meets(Range other) {
            return begin.compareTo(other.end) < 0 && other.begin.compareTo(end) < 0;
        }
    }

    @Property
    void itFindsExactlyTheLaterWritesThatMeetARead(
            @ForAll("ranges") List<Range> writes,
            @ForAll("range") Range read,
            @ForAll @IntRange(max = 30) int readAt,
            @ForAll @IntRange(min = 1, max = 40) int generation) {
        Resolver resolver = new Resolver(generation);
        boolean expected = false;
        long version = 0;
        for (Range write : writes) {
            version++;
            resolver.recordWrites(List.of(write.keys()), version);
            expected |= version > readAt && write.meets(read);
        }
        assertThat(resolver.conflicts(List.of(read.keys()), readAt)).isEqualTo(expected);
    }

    @Property
    void forgettingChangesNothingForReadsWithinTheWindow(
            @ForAll("ranges") List<Range> writes,
            @ForAll("range") Range read,
            @ForAll @IntRange(max = 30) int horizon,
            @ForAll @IntRange(max = 30) int later,
            @ForAll @IntRange(min = 1, max = 40) int generation) {
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
    }

    @Property
    void itKeepsNoMoreThanOneGenerationOfWritesThatAreOutOfTheWindow(@ForAll("ranges") List<Range> writes) {
        Resolver resolver = new Resolver(3);
        long version = 0;
        for (Range write : writes) {
            resolver.recordWrites(List.of(write.keys()), ++version);
            resolver.evictUpTo(version - 6);
            assertThat(resolver.size()).isLessThanOrEqualTo(3);
        }
        resolver.evictUpTo(version);
        assertThat(resolver.size()).isZero();
    }

    @Example
    void aReadAtTheNewestVersionNeverConflicts() {
        Resolver resolver = new Resolver();
        resolver.recordWrites(List.of(new Range("a", "b").keys()), 7);
        assertThat(resolver.conflicts(List.of(new Range("a", "b").keys()), 7)).isFalse();
        assertThat(resolver.conflicts(List.of(new Range("a", "b").keys()), 6)).isTrue();
    }

    @Example
    void oneOfManyReadsIsEnough() {
        Resolver resolver = new Resolver();
        List<KeyRange> reads = new ArrayList<>();
        resolver.recordWrites(List.of(new Range("d", "e").keys()), 7);
        reads.add(new Range("a", "b").keys());
        assertThat(resolver.conflicts(reads, 6)).isFalse();
        reads.add(new Range("c", "dd").keys());
        assertThat(resolver.conflicts(reads, 6)).isTrue();
    }

    @Provide
    Arbitrary<Range> range() {
        return Combinators.combine(TestKeys.names(), TestKeys.names())
                .as((one, other) -> one.compareTo(other) < 0 ? new Range(one, other) : new Range(other, one + "a"));
    }

    @Provide
    Arbitrary<List<Range>> ranges() {
        return Arbitraries.lazy(this::range).list().ofMaxSize(30);
    }
}
