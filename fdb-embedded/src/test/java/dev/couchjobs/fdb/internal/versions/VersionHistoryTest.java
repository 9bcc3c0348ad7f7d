package dev.couchjobs.fdb.internal.versions;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VersionHistoryTest {
    private static final int BATCHES = 700;
    private static final int WINDOW = 300;

    /** Covers versions with kept contents and versions whose contents are replayed. */
    @Test
    void everyVersionWithinTheWindowLooksAsItDid() {
        Samples.check(20, samples -> {
            int largestBatch = samples.between(0, 40);
            Random random = new Random(samples.seed());
            VersionHistory history = new VersionHistory(new Snapshot(0, MemoryContents.EMPTY));
            List<MemoryContents> contents = new ArrayList<>(List.of(MemoryContents.EMPTY));
            for (int version = 1; version <= BATCHES; version++) {
                MemoryContents.MemoryEdit edit =
                        new MemoryContents.MemoryEdit(contents.get(version - 1).map());
                for (int i = random.nextInt(largestBatch + 1); i > 0; i--) {
                    change(edit, random);
                }
                contents.add(edit.contents());
                history.add(version, edit.contents(), edit.mutations(), version - WINDOW);
            }
            for (int version = BATCHES - WINDOW; version <= BATCHES; version++) {
                Contents atVersion = Objects.requireNonNull(history.at(version));
                assertThat(entries(atVersion)).isEqualTo(entries(contents.get(version)));
            }
        });
    }

    @Test
    void versionsOutsideTheWindowAreEvicted() {
        VersionHistory history = new VersionHistory(new Snapshot(0, MemoryContents.EMPTY));
        for (int version = 1; version <= 100_000; version++) {
            List<BaseMutation> mutations = List.of(BaseMutation.put(key("a"), key("" + version)));
            history.add(version, MemoryContents.EMPTY, mutations, version - WINDOW);
        }
        assertThat(history.size()).isLessThan(3 * WINDOW);
        assertThat(history.at(1)).isNull();
    }

    @Test
    void versionsAtWhichNothingChangesAreNotKept() {
        VersionHistory history = new VersionHistory(new Snapshot(0, MemoryContents.EMPTY));
        MemoryContents.MemoryEdit edit = new MemoryContents.MemoryEdit(MemoryContents.EMPTY.map());
        edit.set(key("a"), key("1"));
        history.add(1, edit.contents(), edit.mutations(), 0);
        for (int version = 2; version <= 100_000; version++) {
            history.add(version, edit.contents(), List.of(), version - WINDOW);
        }
        assertThat(history.size()).isEqualTo(2);
        assertThat(entries(Objects.requireNonNull(history.at(100_000)))).containsExactly("a=1");
        assertThat(entries(Objects.requireNonNull(history.at(0)))).isEmpty();
    }

    private static void change(Edit edit, Random random) {
        byte[] name = key("k" + random.nextInt(20));
        switch (random.nextInt(4)) {
            case 0 -> edit.clear(name);
            case 1 -> edit.clear(name, Bytes.max(name, key("k" + random.nextInt(20))));
            default -> edit.set(name, key("" + random.nextInt()));
        }
    }

    private static List<String> entries(Contents contents) {
        List<String> entries = new ArrayList<>();
        try (Scan scan = contents.ascending(Bytes.EMPTY, new byte[] {(byte) 0xFF, (byte) 0xFF})) {
            for (; scan.isOnEntry(); scan.advance()) {
                entries.add(TestKeys.text(scan.key()) + "=" + TestKeys.text(scan.value()));
            }
        }
        return entries;
    }
}
