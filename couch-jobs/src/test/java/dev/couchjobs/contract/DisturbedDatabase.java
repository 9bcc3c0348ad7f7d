package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A way to a database on which transactions that are begun through it can be made to fail or to take their time. */
final class DisturbedDatabase {
    private static final int TRANSACTION_TIMED_OUT = 1031;
    private static final Set<String> TRANSACTIONS = Set.of("runAsync", "readAsync");

    /** Begins a transaction on the target. */
    private interface Begin {
        CompletableFuture<?> now() throws Throwable;
    }

    /** What becomes of a transaction. */
    private interface Disturbance {
        CompletableFuture<?> run(Begin transaction) throws Throwable;
    }

    private final Database target;
    // Guarded by this.
    private CompletableFuture<Void> begun = CompletableFuture.completedFuture(null);
    private Disturbance disturbance = Begin::now;

    DisturbedDatabase(Database target) {
        this.target = target;
    }

    Database asDatabase() {
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> forward(method, arguments));
    }

    /**
     * Every transaction fails as if it had run out of its time limit; completes when so many have. None that began
     * earlier is still under way when this returns, and so none of them can see what is written afterwards.
     */
    CompletableFuture<Void> cut(int failures) {
        CompletableFuture<Void> felt = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(failures);
        disturb(transaction -> {
            if (left.decrementAndGet() == 0) {
                felt.complete(null);
            }
            return CompletableFuture.failedFuture(new FDBException("The way was cut", TRANSACTION_TIMED_OUT));
        });
        JobsContract.await(allBegun());
        return felt;
    }

    /** Every transaction is done, but nobody hears of it until {@code release} completes; completes with the first. */
    CompletableFuture<Void> hold(CompletableFuture<Void> release) {
        CompletableFuture<Void> held = new CompletableFuture<>();
        disturb(transaction -> transaction
                .now()
                .whenComplete((value, error) -> held.complete(null))
                .thenCombine(release, (value, released) -> value));
        return held;
    }

    void mend() {
        disturb(Begin::now);
    }

    private synchronized void disturb(Disturbance next) {
        disturbance = next;
    }

    private synchronized CompletableFuture<Void> allBegun() {
        return begun;
    }

    private synchronized CompletableFuture<?> begin(Begin transaction) throws Throwable {
        CompletableFuture<?> next = disturbance.run(transaction);
        begun = CompletableFuture.allOf(begun, next.exceptionally(error -> null));
        return next;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private @Nullable Object forward(Method method, @Nullable Object[] arguments) throws Throwable {
        if (TRANSACTIONS.contains(method.getName())) {
            return disturbed(target, method, arguments);
        }
        @Nullable Object result = DatabaseProxies.invoke(target, method, arguments);
        return result instanceof Transaction created ? DatabaseProxies.committing(created, this::disturbed) : result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private CompletableFuture<?> disturbed(Object on, Method method, @Nullable Object[] arguments) throws Throwable {
        return begin(
                () -> (CompletableFuture<?>) Objects.requireNonNull(DatabaseProxies.invoke(on, method, arguments)));
    }
}
