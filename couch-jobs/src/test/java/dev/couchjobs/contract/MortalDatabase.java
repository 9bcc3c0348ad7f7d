package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A way to a database for a process that dies after so many transactions, which may be of several databases. It does
 * not hear what became of the last one.
 */
final class MortalDatabase {
    private static final String DEATH = "dead";
    private static final Set<String> TRANSACTIONS = Set.of("runAsync", "readAsync");

    private MortalDatabase() {}

    static Database of(Database target, AtomicInteger left) {
        return DatabaseProxies.to(
                Database.class, (self, method, arguments) -> forward(target, left, method, arguments));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    private static @Nullable Object forward(
            Database target, AtomicInteger left, Method method, @Nullable Object[] arguments) throws Throwable {
        if (!TRANSACTIONS.contains(method.getName())) {
            return DatabaseProxies.invoke(target, method, arguments);
        }
        int now = left.getAndDecrement();
        if (now < 0) {
            return CompletableFuture.failedFuture(new IllegalStateException(DEATH));
        }
        CompletableFuture<?> done =
                (CompletableFuture<?>) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments));
        return now > 0
                ? done
                : done.thenApply(value -> {
                    throw new IllegalStateException(DEATH);
                });
    }
}
