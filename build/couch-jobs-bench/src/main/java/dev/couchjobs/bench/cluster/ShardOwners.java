package dev.couchjobs.bench.cluster;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.LocalityUtil;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import com.apple.foundationdb.async.CloseableAsyncIterator;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.bench.Table;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Which storage processes have the rows of a type ({@code rfc/007}). */
final class ShardOwners {
    private static final Subspace ROOT = new Subspace(Tuple.from("couch_jobs"));
    private static final List<String> ROWS = List.of("activity", "counts", "data", "feed", "pending", "retire");
    private static final List<String> KEYS = List.of("watches_activity", "watches_pending");
    private static final double MEGABYTE = 1e6;

    private final Database database;
    private final UnaryOperator<String> names;

    /** {@code names} names the process with an address. */
    ShardOwners(Database database, UnaryOperator<String> names) {
        this.database = database;
        this.names = names;
    }

    /** How large each of the subspaces is, in how many shards, and which process has its end. */
    Table of(String type) {
        Table table = new Table("rows of " + type, "MB", "shards", "its end is at");
        for (String name : ROWS) {
            Range range = ROOT.range(Tuple.from(name, type));
            double bytes =
                    database.read(tx -> tx.getEstimatedRangeSizeBytes(range).join());
            table.add(
                    name,
                    String.format(Locale.ROOT, "%.1f", bytes / MEGABYTE),
                    Integer.toString(boundaries(range) + 1),
                    ownerOfLast(range));
        }
        for (String name : KEYS) {
            byte[] key = ROOT.pack(Tuple.from(name, type));
            table.add(name, "", "", database.run(tx -> owner(tx, key)));
        }
        return table;
    }

    private int boundaries(Range range) {
        try (CloseableAsyncIterator<byte[]> boundaries =
                LocalityUtil.getBoundaryKeys(database, ByteArrayUtil.keyAfter(range.begin), range.end)) {
            return AsyncUtil.collectRemaining(boundaries).join().size();
        }
    }

    private String ownerOfLast(Range range) {
        return database.run(tx -> {
            byte[] last = tx.getKey(KeySelector.lastLessThan(range.end)).join();
            return owner(tx, ByteArrayUtil.compareUnsigned(last, range.begin) < 0 ? range.begin : last);
        });
    }

    private String owner(Transaction tx, byte[] key) {
        return names.apply(
                String.join(" ", LocalityUtil.getAddressesForKey(tx, key).join()));
    }
}
