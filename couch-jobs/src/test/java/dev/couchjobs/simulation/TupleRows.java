package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.faults.DecodedRows;
import java.util.List;
import java.util.function.Function;

/**
 * The rows of a subspace with tuples as their values, which a law reads after every commit.
 *
 * @param <T> what the law makes of a row
 */
final class TupleRows<T> {
    private final Subspace place;
    private final DecodedRows<T> rows;

    /**
     * A row.
     *
     * @param path its key below the subspace
     */
    record Row(Tuple path, Tuple value) {
        /** {@return the last element of its path} */
        String last() {
            return path.getString(path.size() - 1);
        }
    }

    private TupleRows(Subspace place, Function<Row, T> decode) {
        this.place = place;
        this.rows = new DecodedRows<>(
                row -> decode.apply(new Row(place.unpack(row.getKey()), Tuple.fromBytes(row.getValue()))));
    }

    static TupleRows<Row> of(Subspace place) {
        return new TupleRows<>(place, row -> row);
    }

    /** @param decode gives the same for the same row */
    static <T> TupleRows<T> of(Subspace place, Function<Row, T> decode) {
        return new TupleRows<>(place, decode);
    }

    /** {@return what the rows are, in the order of their keys; the list of the last call if no row is another} */
    List<T> read(ReadTransaction tx) {
        List<KeyValue> now = tx.snapshot().getRange(place.range()).asList().join();
        return rows.of(now);
    }
}
