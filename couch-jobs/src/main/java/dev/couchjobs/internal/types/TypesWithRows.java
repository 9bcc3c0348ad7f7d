package dev.couchjobs.internal.types;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A search for the types that have rows in one of several subspaces, in pages, each of which may have a transaction of
 * its own. Types without rows cost nothing: a page makes a round trip for each of its types, and the last one more.
 *
 * <p>The search remembers the next type of each subspace until it has passed it, also from page to page. Another read,
 * for each type or page of the other subspaces, would pass all cleared rows before that type again. A type that gets
 * its first row meanwhile may be missed, and one that loses its last may be found. Immutable.
 */
public final class TypesWithRows {
    private static final Comparator<String> IN_ORDER = (first, second) -> ByteArrayUtil.compareUnsigned(
            Tuple.from(first).pack(), Tuple.from(second).pack());

    /** The maximum number of rows without a type's name that one read skips. */
    private static final int ROWS_MAX = 1_000;

    /** The last type that the search has found. */
    private final Optional<String> passed;

    private final List<Head> heads;

    private TypesWithRows(Optional<String> passed, List<Head> heads) {
        this.passed = passed;
        this.heads = heads;
    }

    private static TypesWithRows in(Subspace... subspaces) {
        return new TypesWithRows(
                Optional.empty(), List.of(subspaces).stream().map(Head::new).toList());
    }

    /** {@return a search for the types with changes in their feeds} */
    public static TypesWithRows inFeed(Keyspace keyspace) {
        return in(keyspace.table("feed"));
    }

    /**
     * {@return a search for the types with waiting or running jobs} A job waits for a slot of its limit key only while
     * another job of the key is in a queue or runs, or while the key is paused or {@linkplain #inTokenWaits waits for
     * tokens}.
     */
    public static TypesWithRows inQueuesOrActivity(Keyspace keyspace) {
        return in(keyspace.table("pending"), keyspace.table("ranked"), keyspace.table("activity"));
    }

    /** {@return a search for the types with rows in quarantine} */
    public static TypesWithRows inQuarantine(Keyspace keyspace) {
        return in(keyspace.table("quarantine"));
    }

    /** {@return a search for the types with jobs that wait for tokens of their limit keys} */
    public static TypesWithRows inTokenWaits(Keyspace keyspace) {
        return in(keyspace.table("token_waits"));
    }

    /**
     * Some types.
     *
     * @param types their names, in order
     * @param rest the search for the next page, if there may be one
     */
    public record Page(List<String> types, Optional<TypesWithRows> rest) {}

    /**
     * The next type in one subspace.
     *
     * @param isKnown whether it has been read, and the search has not passed it
     * @param type the type, or empty if no type is left
     */
    private record Head(Subspace subspace, boolean isKnown, Optional<String> type) {
        Head(Subspace subspace) {
            this(subspace, false, Optional.empty());
        }

        CompletableFuture<Head> readIfUnknown(ReadTransaction tx, Optional<String> passed) {
            byte[] begin = passed.map(name -> subspace.get(name).range().end).orElse(subspace.range().begin);
            return isKnown
                    ? CompletableFuture.completedFuture(this)
                    : first(tx, subspace, begin, 1).thenApply(found -> new Head(subspace, true, found));
        }

        Head after(String next) {
            return type.filter(next::equals).isPresent() ? new Head(subspace) : this;
        }
    }

    /** {@return the next types, at most a number; read without conflicts} */
    public CompletableFuture<Page> next(ReadTransaction tx, int limit) {
        return collect(tx.snapshot(), limit, new ArrayList<>());
    }

    private CompletableFuture<Page> collect(ReadTransaction tx, int limit, List<String> types) {
        if (types.size() == limit) {
            return CompletableFuture.completedFuture(new Page(types, Optional.of(this)));
        }
        List<CompletableFuture<Head>> reads =
                heads.stream().map(head -> head.readIfUnknown(tx, passed)).toList();
        return Futures.listOf(reads).thenCompose(known -> {
            Optional<String> next =
                    known.stream().flatMap(head -> head.type.stream()).min(IN_ORDER);
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(new Page(types, Optional.empty()));
            }
            types.add(next.get());
            List<Head> rest = known.stream().map(head -> head.after(next.get())).toList();
            return new TypesWithRows(next, rest).collect(tx, limit, types);
        });
    }

    private static CompletableFuture<Optional<String>> first(
            ReadTransaction tx, Subspace subspace, byte[] begin, int rowsMax) {
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
                    return first(tx, subspace, ByteArrayUtil.keyAfter(last), Math.min(ROWS_MAX, rowsMax * 4));
                });
    }
}
