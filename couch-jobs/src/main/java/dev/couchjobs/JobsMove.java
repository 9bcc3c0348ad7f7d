package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.move.Move;
import dev.couchjobs.internal.move.MoveEndpoint;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Moves all the jobs of an instance to another database, for example from an embedded one to a cluster, while they go
 * on being added and worked on. Only the end of it is a stop: about as long as it takes to read all rows twice.
 *
 * <pre>{@code
 * JobsMove move = JobsMove.of(embedded, cluster, "/etc/foundationdb/fdb.cluster");
 * move.copy().join();     // online, and again if it has been a while
 * move.finish().join();   // from here on the jobs are in the cluster
 * }</pre>
 *
 * <p>Rows are copied as they are, with their sequences. So the target's versions must have passed the source's: the
 * order of the feed would break otherwise. Jobs that run during the stop are put back in the target when they have been
 * silent for their activity timeout; what their processors still try to write in the source fails.
 *
 * <p>What fails, or is killed, leaves the jobs in service in the source until the stop begins, and out of service
 * everywhere from then on. At any time the same can be run again, and goes on, or {@link #abort} puts the source into
 * service again. Once {@link #finish} is done, only the target is in service; the rows in the source are left, to be
 * removed when you like.
 *
 * <p>Nothing here blocks; futures fail with a {@link JobsMoveException}, or with an {@code FDBException}.
 */
public final class JobsMove {
    private final Move move;

    private JobsMove(Move move) {
        this.move = move;
    }

    /**
     * A move of the jobs at the root of a database to the root of another.
     *
     * @param source where the jobs are
     * @param target where they are to be; no jobs are there
     * @param targetPlace where the jobs are afterwards; the errors of the source's verbs name it
     * @return the move; nothing happens yet
     */
    public static JobsMove of(Database source, Database target, String targetPlace) {
        return of(source, target, targetPlace, new Subspace(), progress -> {});
    }

    /**
     * A move of the jobs under a prefix, to be watched.
     *
     * @param source where the jobs are
     * @param target where they are to be; no jobs are there under that prefix
     * @param targetPlace where the jobs are afterwards; the errors of the source's verbs name it
     * @param subspace the prefix, as {@link CouchJobsBuilder#subspace} was given it
     * @param listener is called after every page; if it throws, the move fails
     * @return the move; nothing happens yet
     */
    public static JobsMove of(
            Database source, Database target, String targetPlace, Subspace subspace, Consumer<MoveProgress> listener) {
        Keyspace keyspace = new Keyspace(subspace);
        Environment environment = Environment.system();
        return new JobsMove(new Move(
                new MoveEndpoint(source, keyspace, environment),
                new MoveEndpoint(target, keyspace, environment),
                Objects.requireNonNull(targetPlace, "targetPlace"),
                environment.random(),
                Objects.requireNonNull(listener, "listener")));
    }

    /**
     * Copies while the source is in service: over all rows again and again, until it hardly finds less to do.
     *
     * @return how many rows the last pass had to write or clear
     */
    public CompletableFuture<Long> copy() {
        return move.copy();
    }

    /**
     * Copies as {@link #copy} does, takes the source out of service, copies what has changed since, compares counts and
     * digests of both sides, and only then puts the target into service.
     *
     * @return what both sides have
     */
    public CompletableFuture<MoveTotals> finish() {
        return move.finish();
    }

    /**
     * Puts the source into service again and removes what has been copied to the target. It cannot be done once the
     * target has been put into service.
     *
     * @return when it is done
     */
    public CompletableFuture<Void> abort() {
        return move.abort();
    }
}
