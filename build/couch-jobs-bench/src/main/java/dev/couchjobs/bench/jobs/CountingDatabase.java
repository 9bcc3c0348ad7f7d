package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a database and counts the operations of its transactions. The counting takes time, so rates are measured
 * without it. A transaction from {@code createTransaction} is counted when it is closed.
 */
final class CountingDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "runAsync", "read", "readAsync");

    private final Database target;
    private final Supplier<CountingTransaction> tries;

    @GuardedBy("this") private Traffic traffic = Traffic.NONE;

    CountingDatabase(Database target) {
        this(target, CountingTransaction::new);
    }

    /** {@code tries} creates the counter of each try of a transaction, and may keep it. */
    CountingDatabase(Database target, Supplier<CountingTransaction> tries) {
        this.target = target;
        this.tries = tries;
    }

    Database asDatabase() {
        return (Database) ForwardingProxies.to(target, Database.class, this::forward);
    }

    /** The traffic so far. */
    synchronized Traffic traffic() {
        return traffic;
    }

    private synchronized void add(Traffic more) {
        traffic = traffic.plus(more);
    }

    private @Nullable Object forward(Object self, Method method, @Nullable Object[] arguments) throws Throwable {
        if (TRANSACTIONS.contains(method.getName())) {
            return run(method, arguments);
        }
        Object result = ForwardingProxies.invoke(target, method, arguments);
        return result instanceof Transaction created ? counted(created, new Tries(this.tries)) : result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private Transaction counted(Transaction created, Tries tries) {
        Transaction counted = (Transaction) tries.next().counted(created);
        return (Transaction) ForwardingProxies.to(created, Transaction.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "onError" -> {
                    return created.onError((Throwable) Objects.requireNonNull(arguments[0]))
                            .thenApply(next -> counted(next, tries));
                }
                case "close" -> add(tries.traffic());
                default -> {}
            }
            return ForwardingProxies.invoke(counted, method, arguments);
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private @Nullable Object run(Method method, @Nullable Object[] arguments) throws Throwable {
        Tries tries = new Tries(this.tries);
        @Nullable Object[] counted = arguments.clone();
        counted[0] = tries.counting(arguments[0]);
        Object result = ForwardingProxies.invoke(target, method, counted);
        if (result instanceof CompletableFuture<?> future && method.getName().endsWith("Async")) {
            return future.whenComplete((value, error) -> add(tries.traffic()));
        }
        add(tries.traffic());
        return result;
    }

    /** The tries of one transaction. */
    private static final class Tries {
        private final Supplier<CountingTransaction> factory;
        private CountingTransaction last = new CountingTransaction();
        private long count;
        private long claims;

        Tries(Supplier<CountingTransaction> factory) {
            this.factory = factory;
        }

        @SuppressWarnings("unchecked") // the first argument of these methods is such a function
        Function<ReadTransaction, Object> counting(@Nullable Object body) {
            Function<Object, Object> called = (Function<Object, Object>) Objects.requireNonNull(body);
            return transaction -> called.apply(next().counted(transaction));
        }

        private synchronized CountingTransaction next() {
            claims += last.isClaim() ? 1 : 0;
            count++;
            last = factory.get();
            return last;
        }

        synchronized Traffic traffic() {
            return last.traffic(Math.max(0, count - 1)).plus(new Traffic(0, 0, 0, 0, 0, 0, 0, 0, claims));
        }
    }
}
