package dev.couchjobs.fdb.internal.base;

import static dev.couchjobs.fdb.internal.base.BaseText.bytes;
import static dev.couchjobs.fdb.internal.base.BaseText.downwards;
import static dev.couchjobs.fdb.internal.base.BaseText.get;
import static dev.couchjobs.fdb.internal.base.BaseText.rest;
import static dev.couchjobs.fdb.internal.base.BaseText.upwards;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksBaseTest {
    @TempDir
    Path directory;

    private Base base;

    @BeforeEach
    void open() {
        base = RocksBase.open(directory, BaseSettings.DEFAULT);
    }

    @AfterEach
    void close() {
        base.close();
    }

    @Test
    void aNewBaseIsEmptyAtVersionZero() {
        assertThat(base.version()).isZero();
        assertThat(BaseText.of(base)).isEmpty();
        assertThat(get(base, "a")).isNull();
    }

    @Test
    void whatIsAppliedIsVisibleAtOnce() {
        apply(7, put("a", "1"), put("b", ""));
        assertThat(base.version()).isEqualTo(7);
        assertThat(get(base, "a")).isEqualTo("1");
        assertThat(get(base, "b")).isEmpty();
        assertThat(upwards(base, "")).containsExactly("a", "b");
    }

    @Test
    void aCopyHasAllThatWasApplied() {
        apply(7, put("a", "1"), put("b", "2"));
        Path place = directory.resolveSibling(directory.getFileName() + "-copy");
        base.copyTo(place);
        apply(8, put("a", "3"));

        try (Base copy = RocksBase.open(place, BaseSettings.DEFAULT)) {
            assertThat(copy.version()).isEqualTo(7);
            assertThat(get(copy, "a")).isEqualTo("1");
            assertThat(upwards(copy, "")).containsExactly("a", "b");
        }
    }

    @Test
    void cursorsBeginAtTheNearestKeyInTheirDirection() {
        apply(1, put("b", ""), put("d", ""), put("f", ""));
        assertThat(upwards(base, "d")).containsExactly("d", "f");
        assertThat(upwards(base, "c")).containsExactly("d", "f");
        assertThat(upwards(base, "g")).isEmpty();
        assertThat(downwards(base, "d")).containsExactly("b");
        assertThat(downwards(base, "e")).containsExactly("d", "b");
        assertThat(downwards(base, "b")).isEmpty();
    }

    @Test
    void theEmptyKeyAndSystemKeysAreKeysLikeOthers() {
        apply(1, put("", "empty"), put("\u00ff/conf", "system"), put("m", ""));
        assertThat(upwards(base, "")).containsExactly("", "m", "\u00ff/conf");
        assertThat(downwards(base, "\u00ff\u00ff\u00ff")).containsExactly("\u00ff/conf", "m", "");
        assertThat(get(base, "")).isEqualTo("empty");
    }

    @Test
    void theBasesOwnRowsCannotBeSeenOrChanged() {
        apply(3, put("a", "1"));
        assertThat(upwards(base, "\u00ff\u00ff")).isEmpty();
        assertThat(get(base, "\u00ff\u00ffversion")).isNull();
        assertThatThrownBy(() -> apply(4, put("\u00ff\u00ffversion", ""))).isInstanceOf(IllegalArgumentException.class);
        apply(5, clear("", "\u00ff\u00ff\u00ff"), clear("\u00ff\u00ff", "\u00ff\u00ff\u00ff"));
        base.makeDurable();
        reopen();
        assertThat(base.version()).isEqualTo(5);
        assertThat(BaseText.of(base)).isEmpty();
    }

    @Test
    void laterChangesOfAListOverrideEarlierOnes() {
        apply(1, put("a", "1"), put("b", "1"), put("c", "1"));
        apply(2, put("a", "2"), clear("a", "c"), put("b", "2"), put("d", "2"), BaseMutation.remove(bytes("d")));
        assertThat(BaseText.of(base)).isEqualTo(Map.of("b", "2", "c", "1"));
    }

    @Test
    void aLargeRangeIsClearedAsOne() {
        List<BaseMutation> many = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            many.add(put("key%03d".formatted(i), "x"));
        }
        base.apply(1, many);
        apply(2, put("key500", "before"), clear("key001", "key999"), put("key600", "behind"));
        assertThat(BaseText.of(base)).isEqualTo(Map.of("key000", "x", "key600", "behind", "key999", "x"));
    }

    @Test
    void clearingBackwardsOrNothingChangesNothing() {
        apply(1, put("b", "1"));
        apply(2, clear("c", "a"), clear("b", "b"));
        assertThat(BaseText.of(base)).isEqualTo(Map.of("b", "1"));
    }

    @Test
    void aCursorOpenedBeforeAChangeKeepsItsState() {
        apply(1, put("a", "1"), put("b", "1"));
        try (BaseCursor before = base.ascending(bytes("a"))) {
            apply(2, put("aa", "2"), BaseMutation.remove(bytes("b")));
            assertThat(rest(before)).containsExactly("a", "b");
        }
        assertThat(upwards(base, "a")).containsExactly("a", "aa");
    }

    @Test
    void anIteratorFromBeforeAChangeIsNotUsedAgain() {
        apply(1, put("a", "1"));
        assertThat(upwards(base, "a")).containsExactly("a");
        try (BaseCursor open = base.ascending(bytes("a"))) {
            assertThat(open.key()).isEqualTo(bytes("a"));
            apply(2, put("b", "2"));
            assertThat(upwards(base, "a")).containsExactly("a", "b");
        }
        assertThat(upwards(base, "a")).containsExactly("a", "b");
    }

    @Test
    void aCursorPastTheEndOrClosedSaysSo() {
        try (BaseCursor cursor = base.ascending(bytes("a"))) {
            assertThat(cursor.key()).isNull();
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::advance).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void versionsOnlyAdvance() {
        apply(5);
        assertThatThrownBy(() -> apply(5)).isInstanceOf(IllegalArgumentException.class);
        assertThat(base.version()).isEqualTo(5);
    }

    @Test
    void aFlushKeepsEverythingAndACloseKeepsTheLastFlush() {
        apply(1, put("a", "1"));
        apply(2, put("b", "2"));
        assertThat(base.makeDurable()).isEqualTo(2);
        apply(3, put("a", "3"), BaseMutation.remove(bytes("b")));
        reopen();
        assertThat(base.version()).isEqualTo(2);
        assertThat(BaseText.of(base)).isEqualTo(Map.of("a", "1", "b", "2"));
    }

    @Test
    void aVersionWithoutChangesLastsToo() {
        apply(9);
        base.makeDurable();
        reopen();
        assertThat(base.version()).isEqualTo(9);
    }

    @Test
    void everythingFailsOnceTheBaseIsClosed() {
        base.close();
        base.close();
        assertThatThrownBy(() -> base.get(bytes("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> base.ascending(bytes("a"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> base.descending(bytes("a"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> apply(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(base::makeDurable).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> base.estimatedBytes(bytes("a"), bytes("b"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingWaitsForTheReadsInFlight() {
        apply(1, put("a", "1"), put("b", "1"));
        CompletableFuture<Void> closing;
        try (BaseCursor cursor = base.ascending(bytes("a"))) {
            closing = CompletableFuture.runAsync(base::close);
            assertThatThrownBy(this::readUntilItFails).isInstanceOf(IllegalStateException.class);
            assertThat(closing).isNotDone();
            assertThat(rest(cursor)).containsExactly("a", "b");
        }
        closing.join();
    }

    @Test
    void aScanOverManyRemovedKeysFindsWhatIsBehindThem() {
        base.apply(1, rows(0, 3000));
        apply(2, put("a", ""), put("z", ""));
        base.makeDurable();
        base.apply(3, removals(0, 1000));
        assertThat(upwards(base, "row").get(0)).isEqualTo("row1000");
        base.apply(4, removals(1000, 2500));
        for (int again = 0; again < 2; again++) {
            assertThat(upwards(base, "row").get(0)).isEqualTo("row2500");
            assertThat(upwards(base, "").subList(0, 2)).containsExactly("a", "row2500");
            assertThat(downwards(base, "row2500")).containsExactly("a");
            assertThat(downwards(base, "row2501")).containsExactly("row2500", "a");
        }
        apply(5, put("row1500", ""), put("row0007", ""));
        assertThat(upwards(base, "row").subList(0, 3)).containsExactly("row0007", "row1500", "row2500");
        assertThat(downwards(base, "row2500")).containsExactly("row1500", "row0007", "a");
        base.apply(6, removals(0, 3000));
        apply(7, BaseMutation.remove(bytes("a")));
        assertThat(upwards(base, "row")).containsExactly("z");
        assertThat(downwards(base, "z")).isEmpty();
        apply(8, BaseMutation.remove(bytes("z")));
        assertThat(upwards(base, "")).isEmpty();
    }

    @Test
    void manyThreadsReadWhileOneApplies() {
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(CompletableFuture.runAsync(this::readUntilTheLastVersion));
        }
        for (int version = 1; version <= 500; version++) {
            apply(version, put("a", "" + version), put("b", "" + version));
        }
        readers.forEach(CompletableFuture::join);
    }

    @Test
    void estimatesGrowWithWhatIsStored() {
        assertThat(base.estimatedBytes(bytes(""), bytes("\u00ff"))).isZero();
        List<BaseMutation> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(put("key%05d".formatted(i), "value number %d".formatted(i * 31)));
        }
        base.apply(1, many);
        long inMemory = base.estimatedBytes(bytes(""), bytes("\u00ff"));
        base.makeDurable();
        assertThat(inMemory).isPositive();
        long whole = base.estimatedBytes(bytes(""), bytes("\u00ff"));
        assertThat(base.estimatedBytes(bytes("key00000"), bytes("key05000"))).isBetween(whole / 4, whole * 3 / 4);
    }

    private void readUntilItFails() {
        while (true) {
            base.get(bytes("a"));
        }
    }

    /** What a cursor shows is of one version, and never of an earlier one than was complete when it was opened. */
    private void readUntilTheLastVersion() {
        long seen = 0;
        while (seen < 500) {
            long complete = base.version();
            Map<String, String> contents = BaseText.of(base);
            seen = contents.isEmpty() ? 0 : Long.parseLong(contents.getOrDefault("a", ""));
            assertThat(contents.get("b")).isEqualTo(contents.get("a"));
            assertThat(seen).isGreaterThanOrEqualTo(complete);
        }
    }

    private static List<BaseMutation> rows(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> put("row%04d".formatted(i), "x"))
                .toList();
    }

    private static List<BaseMutation> removals(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> BaseMutation.remove(bytes("row%04d".formatted(i))))
                .toList();
    }

    private void apply(long version, BaseMutation... mutations) {
        base.apply(version, List.of(mutations));
    }

    private void reopen() {
        base.close();
        open();
    }

    private static BaseMutation put(String key, String value) {
        return BaseMutation.put(bytes(key), bytes(value));
    }

    private static BaseMutation clear(String begin, String end) {
        return BaseMutation.clear(bytes(begin), bytes(end));
    }
}
