package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;

/** The keys of the rows of a type in quarantine. */
public final class QuarantineKeys {
    /** A bit of a request of a check: the row of a job was moved, and rows of indexes may be stale. */
    public static final byte JOB_MOVED = 1;
    /** A bit of a request: another row was moved, and a job may lack it. */
    public static final byte OTHER_MOVED = 2;

    private static final long QUARANTINE_ENTRIES = 0;
    private static final long QUARANTINE_BYTES = 1;
    private static final long INDEX_CHECK_REQUEST = 0;
    private static final long INDEX_CHECK_PLACE = 1;

    private final Subspace quarantine;
    private final Subspace quarantined;
    private final Subspace indexCheck;

    private QuarantineKeys(TypeKeys type) {
        quarantine = type.table("quarantine").get(QUARANTINE_ENTRIES);
        quarantined = type.table("quarantine").get(QUARANTINE_BYTES);
        indexCheck = type.table("index_check");
    }

    public static QuarantineKeys of(TypeKeys type) {
        return type.derived(QuarantineKeys.class, QuarantineKeys::new);
    }

    /** The rows in quarantine, with their original keys, by the commits that moved them. */
    Subspace quarantine() {
        return quarantine;
    }

    /** The bytes of the rows in quarantine. */
    Subspace quarantined() {
        return quarantined;
    }

    /** The row that is there while a check of the indexes is requested. */
    public byte[] indexCheckRequest() {
        return indexCheck.pack(INDEX_CHECK_REQUEST);
    }

    /** The row that says how far a check of the indexes is. */
    public byte[] indexCheckPlace() {
        return indexCheck.pack(INDEX_CHECK_PLACE);
    }

    /** Both rows of the check of the indexes. */
    public Range indexChecks() {
        return indexCheck.range();
    }
}
