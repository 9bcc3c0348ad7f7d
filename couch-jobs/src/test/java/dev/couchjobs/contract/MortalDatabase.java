package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A way to a database for a process that dies after so many transactions, which may be of several databases. It does not
 * hear what became of the last one.
 */
final class MortalDatabase {
    private static final String DEATH = "dead";
    private static final Set<String> TRANSACTIONS = Set.of("runAsync", "readAsync");

    private MortalDatabase() {}

    static Database of(Database target, AtomicInteger left) {
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(),
                new Class<?>[] {Database.class},
                (proxy, method, arguments) -> forward(target, left, method, arguments));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private static @Nullable Object forward(
            Database target, AtomicInteger left, Method method, Object @Nullable [] arguments) {
        if (!TRANSACTIONS.contains(method.getName())) {
            return invoke(target, method, arguments);
        }
        int now = left.getAndDecrement();
        if (now < 0) {
            return CompletableFuture.failedFuture(new IllegalStateException(DEATH));
        }
        CompletableFuture<?> done = (CompletableFuture<?>) invoke(target, method, arguments);
        return now > 0
                ? done
                : done.thenApply(value -> {
                    throw new IllegalStateException(DEATH);
                });
    }

    @SuppressWarnings("NullAway") // What the target returns is what its method promises.
    private static Object invoke(Database target, Method method, Object @Nullable [] arguments) {
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
