package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one job type. A feature has its rows of the type in tables of its own, which it names itself. Two are
 * equal if all their keys are: several instances may share a transaction.
 */
public final class TypeKeys {
    private final Keyspace keyspace;
    private final Subspace root;
    private final String typeName;
    private final Subspace data;
    private final byte[] dataPrefix;
    private final int hash;
    private final Subspace heartbeats;
    private final Map<String, Subspace> tables = new ConcurrentHashMap<>();
    private final Map<String, byte[]> rows = new ConcurrentHashMap<>();
    private final Map<Class<?>, Object> derived = new ConcurrentHashMap<>();
    private final Map<Class<?>, Object> known = new ConcurrentHashMap<>(0);

    TypeKeys(Keyspace keyspace, Subspace root, String typeName) {
        this.keyspace = keyspace;
        this.root = root;
        this.typeName = typeName;
        data = table("data");
        dataPrefix = data.pack();
        hash = Arrays.hashCode(dataPrefix);
        heartbeats = table("heartbeats");
    }

    /** {@return the rows of the type in a table} */
    public Subspace table(String table) {
        Subspace made = tables.get(table); // mostly there, and then without a lambda
        return made == null ? tables.computeIfAbsent(table, name -> root.subspace(Tuple.from(name, typeName))) : made;
    }

    /** {@return the key of the one row of the type in a table} */
    public byte[] row(String table) {
        byte[] made = rows.get(table);
        return made == null ? rows.computeIfAbsent(table, name -> root.pack(Tuple.from(name, typeName))) : made;
    }

    /** {@return the keys of all types} */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** {@return what a feature derives from the keys of the type, made by the first call} */
    public <T> T derived(Class<T> kind, Function<TypeKeys, T> maker) {
        Object made = derived.get(kind);
        return kind.cast(made == null ? derived.computeIfAbsent(kind, none -> maker.apply(this)) : made);
    }

    /** {@return what a feature has last read of the type, if anything} It is not part of the keys. */
    public <T> Optional<T> known(Class<T> kind) {
        return Optional.ofNullable(kind.cast(known.get(kind)));
    }

    /** Keeps what a feature has read of the type, in place of what it has read before. */
    public void know(Object read) {
        known.put(read.getClass(), read);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof TypeKeys that && Arrays.equals(dataPrefix, that.dataPrefix));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** {@return the name of the type} */
    public String typeName() {
        return typeName;
    }

    public byte[] data(String jobId) {
        return TupleWriter.key(dataPrefix, jobId);
    }

    public Range dataAfter(String jobId) {
        return new Range(ByteArrayUtil.keyAfter(data.pack(jobId)), data.range().end);
    }

    public String jobIdOfData(byte[] key) {
        TupleReader path = TupleReader.below(dataPrefix, key);
        String jobId = path.readString();
        if (path.hasNext()) {
            throw new IllegalArgumentException("The key of a job's row ends with one id; this has more parts");
        }
        return jobId;
    }

    /** A key for the conflict ranges of the heartbeats of a job. It stores nothing. */
    byte[] heartbeats(String jobId) {
        return heartbeats.pack(jobId);
    }

    /** A key without the prefix of all keys. */
    public byte[] relative(byte[] key) {
        int prefix = root.getKey().length;
        return Arrays.copyOfRange(key, Math.min(prefix, key.length), key.length);
    }

    public byte[] absolute(byte[] relativeKey) {
        return ByteArrayUtil.join(root.getKey(), relativeKey);
    }

    /** {@return whether a key is that of a job's row} */
    boolean isJobRow(byte[] key) {
        return jobIdOf(key).isPresent();
    }

    /** {@return the id of the job whose row has a key, if it is the key of a job's row} */
    Optional<String> jobIdOf(byte[] key) {
        try {
            return data.contains(key) ? Optional.of(jobIdOfData(key)) : Optional.empty();
        } catch (RuntimeException e) { // a damaged key that begins like that of a job's row
            return Optional.empty();
        }
    }
}
