package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.move.Move;
import dev.couchjobs.internal.move.MoveEndpoint;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.rows.Keyspace;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Moves all jobs of an instance to another database, for example from an embedded one to a cluster, while the source
 * stays in service. Only the end of the move stops the source, for about as long as all rows take to be read twice.
 *
 * <pre>{@code
 * JobsMove move = JobsMove.of(embedded, cluster, "/etc/foundationdb/fdb.cluster");
 * move.copy().join();     // online; repeat it if much time passes before finish
 * move.finish().join();   // from now on the jobs are in the cluster
 * }</pre>
 *
 * <p>A move copies the rows unchanged, with their sequences. The versions of the target must therefore be later than
 * those of the source; otherwise the move fails with an error that says how to advance them. A job that runs during the
 * stop is pending again in the target once its activity timeout has passed. Its processor can write nothing more in the
 * source.
 *
 * <p>A move that fails or is killed leaves the jobs in service in the source until the stop begins, and out of service
 * in both databases from then on. The same call can always be repeated and continues, or {@link #abort} puts the source
 * into service again. After {@link #finish} only the target is in service. The rows stay in the source until the caller
 * removes them.
 *
 * <p>No method blocks. Futures fail with a {@link JobsMoveException} or an {@code FDBException}.
 */
public final class JobsMove {
    private final Move move;

    private JobsMove(Move move) {
        this.move = move;
    }

    /**
     * {@return a move of the jobs without a prefix, which has not begun}
     *
     * @param source the database with the jobs
     * @param target the database to which they move; it has no jobs
     * @param targetPlace the location of the target, which the errors of verbs on the source name
     */
    public static JobsMove of(Database source, Database target, String targetPlace) {
        return of(source, target, targetPlace, new Subspace(), progress -> {});
    }

    /**
     * {@return a move of the jobs under a prefix, which has not begun}
     *
     * @param source the database with the jobs
     * @param target the database to which they move; it has no jobs under that prefix
     * @param targetPlace the location of the target, which the errors of verbs on the source name
     * @param subspace the prefix, as in {@link CouchJobsBuilder#subspace}
     * @param listener receives the progress after each page; if it throws, the move fails
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
                UserCode.consumer(Objects.requireNonNull(listener, "listener"))));
    }

    /**
     * Copies while the source is in service, in passes over all rows, until a pass changes none, or more than half as
     * many rows as the one before.
     *
     * @return the number of rows that the last pass wrote or cleared
     */
    public CompletableFuture<Long> copy() {
        return move.copy();
    }

    /**
     * Copies as {@link #copy} does, takes the source out of service, copies what has changed since, compares the counts
     * and digests of both databases, and only then puts the target into service.
     *
     * @return the rows that both databases have
     */
    public CompletableFuture<MoveTotals> finish() {
        return move.finish();
    }

    /**
     * Puts the source into service again and removes the copied rows from the target. Fails once the target is in
     * service.
     *
     * @return completes when both are done
     */
    public CompletableFuture<Void> abort() {
        return move.abort();
    }
}
