package dev.couchjobs.internal.rows;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Identifies a job: the keys of its type, and its id. Packs the job's key once, because every edit needs it. */
public final class JobRef {
    private final TypeKeys keys;
    private final String id;
    private final RowKey rowKey;

    /**
     * @param keys the keys of the job's type
     * @param id the id of the job
     */
    public JobRef(TypeKeys keys, String id) {
        this.keys = Objects.requireNonNull(keys, "keys");
        this.id = Objects.requireNonNull(id, "id");
        this.rowKey = new RowKey(keys.data(id));
    }

    /** {@return the job whose row has a key, if it is the key of a job's row} */
    public static Optional<JobRef> ofRow(TypeKeys keys, byte[] key) {
        return keys.jobIdOf(key).map(id -> new JobRef(keys, id));
    }

    /** {@return the keys of the job's type} */
    public TypeKeys keys() {
        return keys;
    }

    /** {@return the id of the job} */
    public String id() {
        return id;
    }

    public RowKey rowKey() {
        return rowKey;
    }

    public byte[] dataKey() {
        return rowKey.bytes();
    }

    public byte[] heartbeatsKey() {
        return keys.heartbeats(id);
    }

    /** {@return the length of the key of the job's row} */
    public int keyBytes() {
        return rowKey.bytes().length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobRef that && id.equals(that.id) && keys.equals(that.keys);
    }

    @Override
    public int hashCode() {
        return 31 * keys.hashCode() + id.hashCode();
    }

    @Override
    public String toString() {
        return keys.typeName() + "/" + id;
    }
}
