package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counts the watches of a database on keys of a type that have neither fired nor been cancelled. */
final class WatchCounter {
    private final Database database;
    private final String type;
    private final AtomicInteger open = new AtomicInteger();

    WatchCounter(Database target, String type) {
        this.type = type;
        database = proxy(Database.class, (self, method, arguments) -> result(target, method, arguments));
    }

    Database database() {
        return database;
    }

    int openWatches() {
        return open.get();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the method gets it
    private @Nullable Object result(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        Object result = invoke(target, method, given);
        if (method.getName().equals("watch")
                && result instanceof CompletableFuture<?> watch
                && new String((byte[]) given[0], StandardCharsets.ISO_8859_1).contains(type)) {
            open.incrementAndGet();
            var unused = watch.whenComplete((done, error) -> open.decrementAndGet());
        }
        if (method.getName().equals("onError") && result instanceof CompletableFuture<?> next) {
            return next.thenApply(WatchCounter.this::counted);
        }
        return counted(result);
    }

    @SuppressWarnings("unchecked") // what takes a transaction takes a counted one
    private Object invoke(Object target, Method method, Object[] given) throws Throwable {
        Object[] arguments = given.clone();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof Function<?, ?> body) {
                arguments[i] = (Function<Object, Object>) tx -> ((Function<Object, Object>) body).apply(counted(tx));
            }
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private Object counted(Object result) {
        return result instanceof Transaction transaction && !Proxy.isProxyClass(result.getClass())
                ? proxy(Transaction.class, (self, method, arguments) -> result(transaction, method, arguments))
                : result;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
