package dev.couchjobs.internal.data;

import org.jspecify.annotations.Nullable;

/**
 * The keys that a creator gave a job, each null for none.
 *
 * @param limit the limit key
 * @param turn the turn key
 * @param unique the unique key
 */
public record JobKeys(
        @Nullable String limit,
        @Nullable String turn,
        @Nullable UniqueKey unique) {
    /** No keys. */
    public static final JobKeys NONE = new JobKeys(null, null, null);

    private static final UniqueKey NO_UNIQUE_KEY = new UniqueKey("", false, 0);

    JobKeys withUnique(@Nullable UniqueKey newUnique) {
        return new JobKeys(limit, turn, newUnique);
    }

    /** {@return whether jobs with these keys are in a queue by age, also with priority 0} */
    boolean needAge() {
        return limit != null || turn != null;
    }

    /** {@return whether the keys are the same, whenever the job was added} */
    boolean areSameAs(JobKeys other) {
        return withoutTime().equals(other.withoutTime());
    }

    private JobKeys withoutTime() {
        return unique == null ? this : withUnique(new UniqueKey(unique.text(), unique.isDigest(), 0));
    }

    /** Adds the keys up to the last that there is. */
    void encode(TupleWriter row) {
        if (equals(NONE)) {
            return;
        }
        row.addNullable(limit);
        if (unique != null || turn != null) {
            UniqueKey written = unique == null ? NO_UNIQUE_KEY : unique;
            row.add(written.text()).add(written.isDigest()).add(written.since());
        }
        if (turn != null) {
            row.add(turn);
        }
    }

    static JobKeys decode(TupleReader row) {
        if (!row.hasNext()) {
            return NONE;
        }
        String limit = row.readNullableString();
        UniqueKey unique = row.hasNext() ? new UniqueKey(row.readString(), row.readBoolean(), row.readLong()) : null;
        String turn = row.hasNext() ? row.readString() : null;
        return new JobKeys(limit, turn, NO_UNIQUE_KEY.equals(unique) ? null : unique);
    }
}
