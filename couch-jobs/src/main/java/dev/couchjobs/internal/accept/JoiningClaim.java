package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The next claim of an acceptor, which is made in the transaction of an {@link Exchange}. Until it has ended, with the
 * first call of {@link #committed} or {@link #abandon}, the acceptor claims nothing else.
 */
public interface JoiningClaim {

    /** {@return the keys of the type} */
    TypeKeys keys();

    /** {@return how many jobs it claims at most} */
    int demand();

    /**
     * Claims jobs. The claim finds what the transaction has changed before. If it finds no job, it arms watches, unless
     * the acceptor has armed some before, or the ends have touched the keys to watch.
     *
     * @param jobs the jobs of the transaction, with its token
     * @param ended jobs that the transaction has ended, or put back: it does not claim them again
     */
    CompletableFuture<?> claim(JobStore jobs, Set<JobRef> ended);

    /** Delivers what the last call of {@link #claim} has claimed. */
    void committed();

    /** Leaves it to the acceptor to claim in a transaction of its own. */
    void abandon();
}
