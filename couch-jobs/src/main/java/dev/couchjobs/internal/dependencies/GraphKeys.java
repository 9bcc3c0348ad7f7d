package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the {@code graph} rows (rfc/013). A graph has one row for each member: a job, a job that is expected, or
 * a graph that has joined it. It has a further row for the graph that it has joined itself.
 */
public final class GraphKeys {
    private static final long OPEN = 0;
    private static final long ENDED = 1;
    private static final long EXPECTED = 2;
    private static final long PARENT = 3;

    private final Subspace all;

    private GraphKeys(Keyspace keyspace) {
        all = keyspace.table("graph");
    }

    /** {@return the keys of the graphs of an instance} */
    public static GraphKeys of(Keyspace keyspace) {
        return keyspace.derived(GraphKeys.class, GraphKeys::new);
    }

    /** {@return the key of a job in a graph} */
    byte[] job(long graph, JobRef ref, boolean hasEnded) {
        return all.pack(Tuple.from(graph, hasEnded ? ENDED : OPEN, ref.keys().typeName(), ref.id()));
    }

    /** {@return the key of a job that does not exist, but for which jobs of a graph wait} */
    byte[] expected(long graph, JobRef ref) {
        return all.pack(Tuple.from(graph, EXPECTED, ref.keys().typeName(), ref.id()));
    }

    /** {@return the key of a graph that has joined another} */
    byte[] child(long graph, long child, boolean hasEnded) {
        return all.pack(Tuple.from(graph, hasEnded ? ENDED : OPEN, child));
    }

    /** {@return the key of the row that names the graph which a graph has joined} */
    byte[] parent(long graph) {
        return all.pack(Tuple.from(graph, PARENT));
    }

    /** {@return the range of the members that have not ended} */
    Range open(long graph) {
        return all.subspace(Tuple.from(graph, OPEN)).range();
    }

    /** {@return the range of all members} */
    Range members(long graph) {
        return new Range(
                open(graph).begin, all.subspace(Tuple.from(graph, EXPECTED)).range().end);
    }

    /** {@return the member in a key: the type and the id of a job, or a graph} */
    Tuple member(byte[] key) {
        Tuple path = all.unpack(key);
        return Tuple.fromList(path.getItems().subList(2, path.size()));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GraphKeys that && all.equals(that.all);
    }

    @Override
    public int hashCode() {
        return all.hashCode();
    }

    /** {@return the prefix of all rows, which stands for the order of their changes} */
    public byte[] prefix() {
        return all.pack();
    }
}
