package dev.couchjobs.faults;

import com.apple.foundationdb.KeyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * The rows of a range that is read again and again, as by a law after every commit. Most rows are then as they were, and
 * each is decoded once for as long as it stays so.
 *
 * @param <T> what a row is decoded to
 */
public final class DecodedRows<T> {
    private final Function<KeyValue, T> decode;
    private List<KeyValue> rows = List.of();
    private List<T> decoded = List.of();

    /** @param decode gives the same for the same row */
    public DecodedRows(Function<KeyValue, T> decode) {
        this.decode = decode;
    }

    /**
     * Decodes the rows as they are now.
     *
     * @param now in the order of their keys
     * @return what they are, in the same order; the list of the last call if no row is another
     */
    public List<T> of(List<KeyValue> now) {
        if (!now.equals(rows)) {
            List<T> next = new ArrayList<>(now.size());
            int last = 0;
            for (KeyValue row : now) {
                while (last < rows.size() && isBefore(rows.get(last), row)) {
                    last++;
                }
                boolean isSame = last < rows.size() && rows.get(last).equals(row);
                next.add(isSame ? decoded.get(last) : decode.apply(row));
            }
            rows = now;
            decoded = next;
        }
        return decoded;
    }

    private static boolean isBefore(KeyValue row, KeyValue other) {
        return Arrays.compareUnsigned(row.getKey(), other.getKey()) < 0;
    }
}
