package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A way to a database that counts the keys which are read through it. */
final class CountedDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "runAsync", "read", "readAsync");

    private final Database target;
    private final AtomicLong keys = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    CountedDatabase(Database target) {
        this.target = target;
    }

    /** Forgets what was counted. */
    void forget() {
        keys.set(0);
        most.set(0);
    }

    /** {@return how many keys were asked for, and rows of ranges read} */
    long keys() {
        return keys.get();
    }

    /** {@return how many of one transaction, at most} */
    long mostOfATransaction() {
        return most.get();
    }

    Database asDatabase() {
        return proxy(Database.class, (self, method, arguments) -> {
            if (method.getName().equals("createTransaction")) {
                return counted(Transaction.class, invoke(target, method, arguments), new AtomicLong());
            }
            if (!TRANSACTIONS.contains(method.getName())) {
                return invoke(target, method, arguments);
            }
            Object[] counting = arguments.clone();
            counting[0] = counting(arguments[0]);
            return invoke(target, method, counting);
        });
    }

    @SuppressWarnings("unchecked") // what these methods take first is such a function
    private Function<ReadTransaction, Object> counting(Object body) {
        Function<Object, Object> called = (Function<Object, Object>) body;
        return tx -> called.apply(
                tx instanceof Transaction
                        ? counted(Transaction.class, tx, new AtomicLong())
                        : counted(ReadTransaction.class, tx, new AtomicLong()));
    }

    private <T extends ReadTransaction> T counted(Class<T> type, @Nullable Object of, AtomicLong own) {
        Object tx = Objects.requireNonNull(of);
        return proxy(
                type,
                (self, method, arguments) -> switch (method.getName()) {
                    case "snapshot" -> counted(ReadTransaction.class, invoke(tx, method, arguments), own);
                    case "get", "getKey" -> {
                        add(own, 1);
                        yield invoke(tx, method, arguments);
                    }
                    case "getRange" -> range(invoke(tx, method, arguments), own);
                    case "onError" ->
                        ((CompletableFuture<?>) Objects.requireNonNull(invoke(tx, method, arguments)))
                                .thenApply(next -> counted(Transaction.class, next, own));
                    default -> invoke(tx, method, arguments);
                });
    }

    @SuppressWarnings("unchecked") // what getRange returns
    private AsyncIterable<KeyValue> range(@Nullable Object of, AtomicLong own) {
        AsyncIterable<KeyValue> rows = (AsyncIterable<KeyValue>) Objects.requireNonNull(of);
        return proxy(AsyncIterable.class, (self, method, arguments) -> {
            if (!method.getName().equals("asList")) {
                throw new UnsupportedOperationException(method.getName() + " is not counted yet");
            }
            CompletableFuture<List<KeyValue>> list = rows.asList();
            return list.thenApply(found -> {
                add(own, found.size());
                return found;
            });
        });
    }

    private void add(AtomicLong own, int count) {
        keys.addAndGet(count);
        most.accumulateAndGet(own.addAndGet(count), Math::max);
    }

    @SuppressWarnings("unchecked") // a proxy is of its one interface
    private static <T> T proxy(Class<? super T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(
                CountedDatabase.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) ->
                        handler.invoke(self, method, arguments == null ? new Object[0] : arguments));
    }

    private static @Nullable Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
