package dev.couchjobs.fdb.internal.storage;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static dev.couchjobs.fdb.embedded.TestKeys.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.MapBase;
import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.versions.Scan;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whatever is set and cleared, and however much of it the base has taken over: what is read is what was committed. */
class LayeredContentsTest {
    /** With {@code other} null {@code name} is set, otherwise all from {@code name} to {@code other} is cleared. */
    record Write(String name, String other, boolean set) {}

    /** Writes of one batch, after which the base takes over all but the last {@code kept} batches. */
    record Batch(List<Write> writes, int kept) {}

    private record Committed(long version, LayeredContents contents, NavigableMap<String, String> model) {}

    private MapBase base = new MapBase();
    private final List<Committed> history = new ArrayList<>();
    private final List<List<BaseMutation>> mutations = new ArrayList<>();
    private int inBase;

    private void startEmpty() {
        base = new MapBase();
        history.clear();
        mutations.clear();
        inBase = 0;
    }

    @Test
    void everyVersionThatTheBaseHasNotPassedReadsAsCommitted() {
        Samples.check(2_000, samples -> {
            List<Batch> batches = batches(samples);
            startEmpty();

            LayeredContents latest = new LayeredContents(Overlay.empty(0), base, new EmptyRangeHint(1));
            NavigableMap<String, String> model = new TreeMap<>();
            for (Batch batch : batches) {
                latest = commit(latest, model, batch);
                latest = moveToBase(latest, history.size() - batch.kept);
                history.set(history.size() - 1, new Committed(history.size(), latest, new TreeMap<>(model)));
                history.subList(Math.max(0, inBase - 1), history.size()).forEach(this::check);
            }
            latest = moveToBase(latest, history.size());
            assertThat(latest.overlay().sets().size()).isZero();
            assertThat(latest.overlay().cleared().size()).isZero();
            assertThat(base.size()).isEqualTo(model.size());
            assertThat(base.open()).isZero();
        });
    }

    @Test
    void aScanPassesNoClearedKeysBeyondItsRange() {
        LayeredContents drained = drainedQueue().contents();

        assertThat(entries(drained.ascending(key("q"), key("queue100")))).isEmpty();
        assertThat(entries(drained.descending(key("queue3"), key("queue2")))).isEmpty();
        assertThat(drained.hint().take(drained.overlay())).isNull();
        assertThat(entries(drained.ascending(key("q"), key("queue2")))).isEmpty();
        assertThat(drained.hint().take(drained.overlay())).isNotNull();
    }

    @Test
    void aScanPassesNoClearedKeysBehindTheNextKeyOfTheOverlay() {
        LayeredEdit edit = drainedQueue();
        edit.set(key("queue0"), key("job"));
        edit.set(key("queue3"), key("job"));
        LayeredContents drained = edit.contents();

        try (Scan upwards = drained.ascending(key("q"), key("r"));
                Scan downwards = drained.descending(key("r"), key("q"))) {
            assertThat(text(upwards.key())).isEqualTo("queue0");
            assertThat(text(downwards.key())).isEqualTo("queue3");
        }
        assertThat(drained.hint().take(drained.overlay())).isNull();
        assertThat(entries(drained.ascending(key("q"), key("r")))).containsExactly("queue0=job", "queue3=job");
        assertThat(entries(drained.descending(key("r"), key("q")))).containsExactly("queue3=job", "queue0=job");
    }

    /** A hundred rows, which are cleared but still in the base. */
    private LayeredEdit drainedQueue() {
        List<BaseMutation> rows = new ArrayList<>();
        for (int i = 100; i < 200; i++) {
            rows.add(BaseMutation.put(key("queue" + i), key("job")));
        }
        base.apply(1, rows);
        LayeredEdit edit = new LayeredEdit(new LayeredContents(Overlay.empty(1), base, new EmptyRangeHint(1)), 2);
        rows.forEach(row -> edit.clear(((BaseMutation.Put) row).key()));
        return edit;
    }

    private LayeredContents commit(LayeredContents before, NavigableMap<String, String> model, Batch batch) {
        LayeredEdit edit = new LayeredEdit(before, history.size() + 1);
        for (Write write : batch.writes) {
            if (write.set) {
                String value = write.other + history.size();
                edit.set(key(write.name), key(value));
                model.put(write.name, value);
            } else {
                edit.clear(key(write.name), key(write.other));
                model.keySet().removeIf(name -> name.compareTo(write.name) >= 0 && name.compareTo(write.other) < 0);
            }
        }
        mutations.add(edit.mutations());
        history.add(new Committed(history.size() + 1, edit.contents(), new TreeMap<>(model)));
        return edit.contents();
    }

    private LayeredContents moveToBase(LayeredContents latest, int upTo) {
        Overlay overlay = latest.overlay();
        while (inBase < upTo) {
            base.apply(inBase + 1, mutations.get(inBase));
            overlay = overlay.without(mutations.get(inBase), inBase + 1, new Object());
            inBase++;
        }
        return latest.under(overlay);
    }

    private void check(Committed committed) {
        List<String> expected = new ArrayList<>();
        committed.model.forEach((name, value) -> expected.add(name + "=" + value));
        LayeredContents contents = committed.contents;
        assertThat(entries(contents.ascending(Bytes.EMPTY, key("z")))).containsExactlyElementsOf(expected);
        List<String> backwards = entries(contents.descending(key("z"), Bytes.EMPTY));
        assertThat(backwards).hasSameElementsAs(expected).hasSameSizeAs(expected);
        assertThat(backwards).isSortedAccordingTo((one, other) -> other.compareTo(one));
        List<String> part = expected.stream()
                .filter(entry -> entry.compareTo("b") >= 0 && entry.compareTo("d") < 0)
                .toList();
        assertThat(entries(contents.ascending(key("b"), key("d"))))
                .filteredOn(entry -> entry.compareTo("d") < 0)
                .containsExactlyElementsOf(part);
        assertThat(entries(contents.descending(key("d"), key("b"))))
                .filteredOn(entry -> entry.compareTo("b") >= 0)
                .containsExactlyInAnyOrderElementsOf(part);
        for (char name = 'a'; name <= 'e'; name++) {
            byte[] value = contents.get(key("" + name));
            assertThat(value == null ? null : text(value)).isEqualTo(committed.model.get("" + name));
        }
    }

    private static List<String> entries(Scan scan) {
        List<String> entries = new ArrayList<>();
        try (scan) {
            for (; scan.isOnEntry(); scan.advance()) {
                entries.add(text(scan.key()) + "=" + text(scan.value()));
            }
        }
        return entries;
    }

    private static List<Batch> batches(Samples samples) {
        return samples.list(0, 12, LayeredContentsTest::batch);
    }

    private static Batch batch(Samples samples) {
        return new Batch(samples.list(0, 6, LayeredContentsTest::write), samples.between(0, 4));
    }

    private static Write write(Samples samples) {
        return new Write(TestKeys.name(samples), TestKeys.name(samples), !samples.isOneOf(3));
    }
}
