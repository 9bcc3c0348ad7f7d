package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds the types that have rows in one of some subspaces, one after the other. A type without rows costs nothing: that
 * takes one trip more than there are types with rows.
 */
public final class TypesWithRows {
    private static final Comparator<String> IN_ORDER = (one, other) -> ByteArrayUtil.compareUnsigned(
            Tuple.from(one).pack(), Tuple.from(other).pack());

    /** Of rows under no type's name, which are passed over. */
    private static final int ROWS_MAX = 1_000;

    private final List<String> found = new ArrayList<>();
    private final ReadTransaction tx;
    private final List<Subspace> places;
    private final int limit;

    private TypesWithRows(ReadTransaction tx, List<Subspace> places, int limit) {
        this.tx = tx.snapshot();
        this.places = places;
        this.limit = limit;
    }

    /** {@return some of the types with changes in their feed behind one, or the first; read without conflicts} */
    public static CompletableFuture<List<String>> inFeed(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        return new TypesWithRows(tx, List.of(keyspace.feeds()), limit).after(after);
    }

    /** {@return some of the types of which jobs wait or run behind one, or the first; read without conflicts} */
    public static CompletableFuture<List<String>> inQueuesOrActivity(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        List<Subspace> places = List.of(keyspace.pendingQueues(), keyspace.rankedQueues(), keyspace.activities());
        return new TypesWithRows(tx, places, limit).after(after);
    }

    private CompletableFuture<List<String>> after(Optional<String> type) {
        if (found.size() == limit) {
            return CompletableFuture.completedFuture(found);
        }
        List<CompletableFuture<Optional<String>>> firsts = places.stream()
                .map(place -> first(
                        place, type.map(name -> place.get(name).range().end).orElse(place.range().begin), 1))
                .toList();
        return CompletableFuture.allOf(firsts.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    Optional<String> next = firsts.stream()
                            .flatMap(first -> first.join().stream())
                            .min(IN_ORDER);
                    next.ifPresent(found::add);
                    return next.isPresent() ? after(next) : CompletableFuture.completedFuture(found);
                });
    }

    private CompletableFuture<Optional<String>> first(Subspace place, byte[] begin, int rowsMax) {
        return tx.getRange(new Range(begin, place.range().end), rowsMax)
                .asList()
                .thenCompose(rows -> {
                    Optional<String> type = rows.stream()
                            .map(KeyValue::getKey)
                            .flatMap(key ->
                                    Quarantine.typeName(key, each -> Keyspace.typeName(place.unpack(each), 0)).stream())
                            .findFirst();
                    if (type.isPresent() || rows.size() < rowsMax) {
                        return CompletableFuture.completedFuture(type);
                    }
                    byte[] last = rows.get(rows.size() - 1).getKey();
                    return first(place, ByteArrayUtil.keyAfter(last), Math.min(ROWS_MAX, rowsMax * 4));
                });
    }
}
