package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.common.Completions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a commit, and the executor on which it is given. Only the first answer counts, also while it is still
 * on its way. Guarded by the lock of the {@code ClientTransaction}.
 */
public final class CommitReply {
    private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    private final Executor executor;
    private boolean answered;

    private CommitReply(Executor executor) {
        this.executor = executor;
    }

    /** To a user, who may hang anything on the future. */
    public static CommitReply on(Executor executor) {
        return new CommitReply(executor);
    }

    /** To a thread that does nothing but wait for it, so that the pipeline itself may answer. */
    public static CommitReply awaited() {
        return new CommitReply(Runnable::run);
    }

    public boolean isAnswered() {
        return answered;
    }

    public CompletableFuture<@Nullable Void> future() {
        return future;
    }

    /**
     * Blocks until it is answered, and throws the error that it is answered with, as it is: a conflict is no rarity.
     */
    public void await() {
        RuntimeException error =
                future.handle((done, thrown) -> (RuntimeException) thrown).join();
        if (error != null) {
            throw error;
        }
    }

    public void succeed() {
        if (!answered) {
            Completions.complete(future, executor);
            // Comes last: if there is no stack left to hand the answer over, another thread does so.
            answered = true;
        }
    }

    /** On the thread that commits, for what is settled before anything is sent. */
    public void succeedAtOnce() {
        answered = true;
        future.complete(null);
    }

    public void fail(RuntimeException error) {
        if (!answered) {
            Completions.fail(future, error, executor);
            answered = true;
        }
    }
}
