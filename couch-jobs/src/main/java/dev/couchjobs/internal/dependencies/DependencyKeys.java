package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TupleWriter;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of what the jobs of a type wait for, and of their dependents. */
final class DependencyKeys {
    private final Subspace waitsFor;
    private final Subspace dependents;
    private final Subspace releasing;
    private final Subspace expected;
    private final byte[] expectedPrefix;
    private final byte[] watchesReleasing;

    private DependencyKeys(TypeKeys type) {
        waitsFor = type.table("waits_for");
        dependents = type.table("dependents");
        releasing = type.table("releasing");
        expected = type.table("expected");
        expectedPrefix = expected.pack();
        watchesReleasing = type.keyspace().row("watches_releasing");
    }

    static DependencyKeys of(TypeKeys type) {
        return type.derived(DependencyKeys.class, DependencyKeys::new);
    }

    /** The links of a job to its dependencies: type, id and waiter group of each. */
    Subspace waitsFor(String jobId) {
        return waitsFor.get(jobId);
    }

    /** The dependents of a job in a waiter group: the type and the id of each. */
    Subspace dependents(String jobId, long group) {
        return dependents.get(Tuple.from(jobId, group));
    }

    /** The dependents of a job in all waiter groups. */
    Subspace dependents(String jobId) {
        return dependents.get(jobId);
    }

    byte[] releasing(String jobId, long group) {
        return releasing.pack(Tuple.from(jobId, group));
    }

    /** The waiter group of the dependents of a job that does not exist. */
    byte[] expected(String jobId) {
        return TupleWriter.key(expectedPrefix, jobId);
    }

    /** {@return the range of the waiter groups of all jobs of the type that do not exist} */
    Range expected() {
        return expected.range();
    }

    Tuple unpackReleasing(byte[] key) {
        return releasing.unpack(key);
    }

    /** Changed by every commit that leaves release notices: one key for all types. */
    byte[] watchesReleasing() {
        return watchesReleasing;
    }
}
