package dev.couchjobs.fdb.internal.watches;

import dev.couchjobs.fdb.internal.common.Completions;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A caller's wait for a key to have another value than the one that the caller saw. */
public final class Watch {
    private final byte[] key;
    private final byte @Nullable [] seen;
    private final Executor executor;
    private final CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    private volatile Runnable beforeItSettles = () -> {};
    private volatile boolean settled;

    public Watch(byte[] key, byte @Nullable [] seen, Executor executor) {
        this.key = key;
        this.seen = seen;
        this.executor = executor;
    }

    /** Runs an action when the engine answers, before the caller can see the answer. */
    void beforeItSettles(Runnable action) {
        beforeItSettles = action;
    }

    /** Whether the engine has answered already; otherwise the caller has given up. */
    boolean isSettled() {
        return settled;
    }

    byte[] key() {
        return key;
    }

    public CompletableFuture<@Nullable Void> future() {
        return future;
    }

    public boolean differsFrom(byte @Nullable [] value) {
        return !Arrays.equals(seen, value);
    }

    public void fire() {
        settle();
        Completions.complete(future, executor);
    }

    public void fail(Throwable error) {
        settle();
        Completions.fail(future, error, executor);
    }

    private void settle() {
        settled = true;
        beforeItSettles.run();
    }
}
