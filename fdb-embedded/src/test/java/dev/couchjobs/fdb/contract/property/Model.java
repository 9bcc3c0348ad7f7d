package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.MutationType;
import dev.couchjobs.fdb.model.ModelRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of the reference model under the numbered keys of the {@link Alphabet}: one copy for each transaction. */
final class Model {

    private final ModelRows rows;

    Model(Map<Integer, String> rows) {
        this(new ModelRows(Map.of()));
        rows.forEach((key, value) -> this.rows.set(Alphabet.name(key), value));
    }

    private Model(ModelRows rows) {
        this.rows = rows;
    }

    Model copy() {
        return new Model(rows.copy());
    }

    @Nullable String get(int key) {
        return rows.get(Alphabet.name(key));
    }

    private int position(Selector selector) {
        return rows.position(Alphabet.name(selector.base()), selector.orEqual(), selector.offset());
    }

    /** The key that a selector leads to, minus one before the first, {@link Alphabet#SIZE} after the last. */
    int resolve(Selector selector) {
        boolean backwards = selector.offset() <= 0;
        String selected = rows.selected(position(selector), backwards);
        return selected != null ? Alphabet.index(selected) : backwards ? -1 : Alphabet.SIZE;
    }

    /** The keys of a range read, in its order; a limit of zero is none. */
    List<Integer> range(int begin, int end, int limit, boolean reverse) {
        return ordered(rows.keys(Alphabet.name(begin), Alphabet.name(end)), limit, reverse);
    }

    boolean isBeforeBegin(Selector selector) {
        return position(selector) < 0;
    }

    /** Whether a selector leads past the first key after the rows. */
    boolean isPastEnd(Selector selector) {
        return position(selector) > rows.size();
    }

    List<Integer> range(Selector begin, Selector end, int limit, boolean reverse) {
        return ordered(rows.between(position(begin), position(end)), limit, reverse);
    }

    private static List<Integer> ordered(List<String> names, int limit, boolean reverse) {
        List<Integer> keys = new ArrayList<>(names.stream().map(Alphabet::index).toList());
        if (reverse) {
            Collections.reverse(keys);
        }
        return limit > 0 && limit < keys.size() ? keys.subList(0, limit) : keys;
    }

    void set(int key, String value) {
        rows.set(Alphabet.name(key), value);
    }

    void clear(int begin, int end) {
        rows.clear(Alphabet.name(begin), Alphabet.name(end));
    }

    void mutate(MutationType type, int key, String operand) {
        rows.mutate(type, Alphabet.name(key), operand);
    }

    /** These rows as {@code name=value}, as the engine's are rendered. */
    List<String> render(List<Integer> keys) {
        return keys.stream().map(key -> Alphabet.name(key) + "=" + get(key)).toList();
    }

    List<String> render() {
        return rows.keys().stream().map(name -> name + "=" + rows.get(name)).toList();
    }
}
