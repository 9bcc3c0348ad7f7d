package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the ended jobs of a type that are to be removed. */
final class RetentionKeys {
    private final Subspace retire;
    private final byte[] retention;
    private final byte[] archiving;

    private RetentionKeys(TypeKeys type) {
        retire = type.table("retire");
        retention = type.row("retention");
        archiving = type.row("archiving");
    }

    static RetentionKeys of(TypeKeys type) {
        return type.derived(RetentionKeys.class, RetentionKeys::new);
    }

    /** The retention index: one for jobs that an archive accepts first, and one for all other jobs. */
    Subspace retire(boolean archived) {
        return retire.get(archived);
    }

    /** The rows of the retention index that are due at a second. */
    Range retireUpTo(boolean archived, long second) {
        Subspace index = retire(archived);
        return new Range(index.range().begin, index.get(second).range().end);
    }

    /** The retention of the type in place of that in the code. */
    byte[] retention() {
        return retention;
    }

    /** The archive lease. */
    byte[] archiving() {
        return archiving;
    }
}
