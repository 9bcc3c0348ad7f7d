package dev.couchjobs.internal.move;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What to do here so that it is as it is there.
 *
 * @param there the rows as they are to be
 * @param set those of them that are missing here, or are others
 * @param clear the keys that are here only
 */
record RowDiff(RowPage there, List<KeyValue> set, List<byte[]> clear) {
    static RowDiff between(RowPage there, RowPage here) {
        Map<byte[], byte[]> left = new TreeMap<>(Arrays::compareUnsigned);
        here.rows().forEach(row -> left.put(row.getKey(), row.getValue()));
        List<KeyValue> set = new ArrayList<>();
        for (KeyValue row : there.rows()) {
            byte[] present = left.remove(row.getKey());
            if (present == null || !Arrays.equals(present, row.getValue())) {
                set.add(row);
            }
        }
        return new RowDiff(there, set, List.copyOf(left.keySet()));
    }

    int size() {
        return set.size() + clear.size();
    }

    void apply(Transaction tx) {
        set.forEach(row -> tx.set(row.getKey(), row.getValue()));
        clear.forEach(tx::clear);
    }
}
