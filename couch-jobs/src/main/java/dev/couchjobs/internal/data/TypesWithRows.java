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
 * Finds the types that have rows in one of several subspaces, one after the other. Types without rows cost nothing: the
 * search makes one round trip more than there are types with rows.
 */
public final class TypesWithRows {
    private static final Comparator<String> IN_ORDER = (first, second) -> ByteArrayUtil.compareUnsigned(
            Tuple.from(first).pack(), Tuple.from(second).pack());

    /** The maximum number of rows without a type's name that one read skips. */
    private static final int ROWS_MAX = 1_000;

    private final List<String> types = new ArrayList<>();
    private final ReadTransaction tx;
    private final List<Head> heads;
    private final int limit;

    private TypesWithRows(ReadTransaction tx, List<Subspace> subspaces, int limit) {
        this.tx = tx.snapshot();
        this.heads = subspaces.stream().map(Head::new).toList();
        this.limit = limit;
    }

    /**
     * The next type in one subspace. It stays until the search has passed it: another read of it, for each type of the
     * other subspaces, would pass all cleared rows before it again.
     */
    private final class Head {
        private final Subspace subspace;
        private CompletableFuture<Optional<String>> type = CompletableFuture.completedFuture(Optional.empty());

        Head(Subspace subspace) {
            this.subspace = subspace;
        }

        void moveAfter(Optional<String> passed) {
            type = first(
                    subspace, passed.map(name -> subspace.get(name).range().end).orElse(subspace.range().begin), 1);
        }
    }

    /** {@return the first types with changes in their feeds, or the next after a type; read without conflicts} */
    public static CompletableFuture<List<String>> inFeed(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        return new TypesWithRows(tx, List.of(keyspace.feeds()), limit).allAfter(after);
    }

    /** {@return the first types with waiting or running jobs, or the next after a type; read without conflicts} */
    public static CompletableFuture<List<String>> inQueuesOrActivity(
            ReadTransaction tx, Keyspace keyspace, Optional<String> after, int limit) {
        List<Subspace> subspaces = List.of(keyspace.pendingQueues(), keyspace.rankedQueues(), keyspace.activities());
        return new TypesWithRows(tx, subspaces, limit).allAfter(after);
    }

    private CompletableFuture<List<String>> allAfter(Optional<String> type) {
        heads.forEach(head -> head.moveAfter(type));
        return collect();
    }

    private CompletableFuture<List<String>> collect() {
        if (types.size() == limit) {
            return CompletableFuture.completedFuture(types);
        }
        return CompletableFuture.allOf(heads.stream().map(head -> head.type).toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    Optional<String> next = heads.stream()
                            .flatMap(head -> head.type.join().stream())
                            .min(IN_ORDER);
                    if (next.isEmpty()) {
                        return CompletableFuture.completedFuture(types);
                    }
                    types.add(next.get());
                    heads.stream().filter(head -> head.type.join().equals(next)).forEach(head -> head.moveAfter(next));
                    return collect();
                });
    }

    private CompletableFuture<Optional<String>> first(Subspace subspace, byte[] begin, int rowsMax) {
        return tx.getRange(new Range(begin, subspace.range().end), rowsMax)
                .asList()
                .thenCompose(rows -> {
                    Optional<String> type = rows.stream()
                            .map(KeyValue::getKey)
                            .flatMap(key ->
                                    Quarantine.typeName(key, each -> Keyspace.typeName(subspace.unpack(each), 0))
                                            .stream())
                            .findFirst();
                    if (type.isPresent() || rows.size() < rowsMax) {
                        return CompletableFuture.completedFuture(type);
                    }
                    byte[] last = rows.get(rows.size() - 1).getKey();
                    return first(subspace, ByteArrayUtil.keyAfter(last), Math.min(ROWS_MAX, rowsMax * 4));
                });
    }
}
