package dev.couchjobs.fdb.internal.base;

import static dev.couchjobs.fdb.internal.base.BaseText.bytes;
import static dev.couchjobs.fdb.internal.base.BaseText.downwards;
import static dev.couchjobs.fdb.internal.base.BaseText.get;
import static dev.couchjobs.fdb.internal.base.BaseText.upwards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A base against a sorted map for each version. */
class RocksBasePropertyTest {
    /** So small that RocksDB writes out what is applied now and then by itself, between two flushes. */
    private static final BaseSettings SMALL = new BaseSettings(1 << 20, 1 << 16);

    private static final String PADDING = "x".repeat(4000);

    sealed interface Step {}

    record Apply(List<Edit> edits) implements Step {}

    record Flush() implements Step {}

    record Reopen() implements Step {}

    record Edit(Kind kind, String first, String second) {}

    enum Kind {
        PUT,
        REMOVE,
        CLEAR
    }

    @Test
    void itHoldsWhatASortedMapHoldsAndAReopenedOneAStateSinceTheLastFlush() {
        Samples.check(60, samples -> {
            List<Step> steps = steps(samples);
            String probe = name(samples);

            Path directory = Files.createTempDirectory("base");
            NavigableMap<Long, NavigableMap<String, String>> states = new TreeMap<>(Map.of(0L, new TreeMap<>()));
            Base base = RocksBase.open(directory, SMALL);
            long durable = 0;
            try {
                for (Step step : steps) {
                    if (step instanceof Apply apply) {
                        apply(base, states, apply.edits);
                    } else if (step instanceof Flush) {
                        durable = base.makeDurable();
                        assertThat(durable).isEqualTo(states.lastKey());
                    } else {
                        base.close();
                        base = RocksBase.open(directory, SMALL);
                        assertThat(base.version()).isBetween(durable, states.lastKey());
                        states.tailMap(base.version(), false).clear();
                    }
                    assertSame(base, states.lastEntry().getValue(), probe);
                }
            } finally {
                base.close();
                delete(directory);
            }
        });
    }

    private static List<Step> steps(Samples samples) {
        return samples.list(0, 20, RocksBasePropertyTest::step);
    }

    private static Step step(Samples samples) {
        return switch (samples.choice(10)) {
            case 0 -> new Flush();
            case 1 -> new Reopen();
            default -> new Apply(samples.list(0, 20, RocksBasePropertyTest::edit));
        };
    }

    private static Edit edit(Samples samples) {
        return new Edit(samples.of(Kind.values()), name(samples), name(samples));
    }

    /** A small dense set, so that random keys meet. None of them begins with two bytes of 0xff. */
    private static String name(Samples samples) {
        return samples.text(3, "abc\u00ff").replaceFirst("^\u00ff+", "\u00ff");
    }

    private static void apply(Base base, NavigableMap<Long, NavigableMap<String, String>> states, List<Edit> edits) {
        long version = states.lastKey() + 3;
        NavigableMap<String, String> state = new TreeMap<>(states.lastEntry().getValue());
        edits.forEach(edit -> edit(state, edit));
        base.apply(version, edits.stream().map(RocksBasePropertyTest::mutation).toList());
        states.put(version, state);
    }

    private static void edit(NavigableMap<String, String> state, Edit edit) {
        switch (edit.kind) {
            case PUT -> state.put(edit.first, edit.second + PADDING);
            case REMOVE -> state.remove(edit.first);
            case CLEAR ->
                state.keySet().removeIf(key -> key.compareTo(edit.first) >= 0 && key.compareTo(edit.second) < 0);
        }
    }

    private static BaseMutation mutation(Edit edit) {
        return switch (edit.kind) {
            case PUT -> BaseMutation.put(bytes(edit.first), bytes(edit.second + PADDING));
            case REMOVE -> BaseMutation.remove(bytes(edit.first));
            case CLEAR -> BaseMutation.clear(bytes(edit.first), bytes(edit.second));
        };
    }

    private static void assertSame(Base base, NavigableMap<String, String> state, String probe) {
        assertThat(BaseText.of(base)).isEqualTo(state);
        assertThat(get(base, probe)).isEqualTo(state.get(probe));
        assertThat(upwards(base, probe))
                .containsExactlyElementsOf(state.tailMap(probe, true).keySet());
        assertThat(downwards(base, probe))
                .containsExactlyElementsOf(
                        state.headMap(probe, false).descendingMap().keySet());
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
