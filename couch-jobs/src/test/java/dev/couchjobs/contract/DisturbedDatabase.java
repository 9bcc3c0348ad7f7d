package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A way to a database on which transactions that are begun through it can be made to fail or to take their time. */
final class DisturbedDatabase {
    private static final int TRANSACTION_TIMED_OUT = 1031;
    private static final Set<String> TRANSACTIONS = Set.of("runAsync", "readAsync");

    /** What becomes of a transaction. */
    private interface Disturbance {
        CompletableFuture<?> run(Supplier<CompletableFuture<?>> transaction);
    }

    private final Database target;
    // Guarded by this.
    private CompletableFuture<Void> begun = CompletableFuture.completedFuture(null);
    private Disturbance disturbance = Supplier::get;

    DisturbedDatabase(Database target) {
        this.target = target;
    }

    Database asDatabase() {
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(),
                new Class<?>[] {Database.class},
                (proxy, method, arguments) -> forward(method, arguments));
    }

    /**
     * Every transaction fails as if it had run out of its time limit; completes when so many have. None that began earlier
     * is still under way when this returns, and so none of them can see what is written afterwards.
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
                .get()
                .whenComplete((value, error) -> held.complete(null))
                .thenCombine(release, (value, released) -> value));
        return held;
    }

    void mend() {
        disturb(Supplier::get);
    }

    private synchronized void disturb(Disturbance next) {
        disturbance = next;
    }

    private synchronized CompletableFuture<Void> allBegun() {
        return begun;
    }

    private synchronized CompletableFuture<?> begin(Supplier<CompletableFuture<?>> transaction) {
        CompletableFuture<?> next = disturbance.run(transaction);
        begun = CompletableFuture.allOf(begun, next.exceptionally(error -> null));
        return next;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private @Nullable Object forward(Method method, Object @Nullable [] arguments) throws Throwable {
        if (TRANSACTIONS.contains(method.getName())) {
            return begin(() -> (CompletableFuture<?>) invoke(method, arguments));
        }
        return invoke(method, arguments);
    }

    @SuppressWarnings("NullAway") // What the target returns is what its method promises.
    private Object invoke(Method method, Object @Nullable [] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
