package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A database with a fault: every call goes to a real one, through the fault if it is made on a transaction. */
final class PlantedFaultDatabase {

    /** What is wrong with it. */
    interface Fault {
        /**
         * Makes the call, or another one in its place.
         *
         * @param transaction the real one
         */
        @Nullable Object call(ReadTransaction transaction, Method method, @Nullable Object[] arguments) throws Exception;
    }

    private final Fault fault;

    private PlantedFaultDatabase(Fault fault) {
        this.fault = fault;
    }

    static Database of(Database real, Fault fault) {
        PlantedFaultDatabase faulty = new PlantedFaultDatabase(fault);
        return faulty.proxy(Database.class, (method, arguments) -> method.invoke(real, faulty.wrapped(arguments)));
    }

    private interface Call {
        @Nullable Object make(Method method, @Nullable Object[] arguments) throws Exception;
    }

    private <T> T proxy(Class<T> type, Call call) {
        Object proxy =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return wrapped(call.make(method, arguments == null ? new Object[0] : arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return type.cast(proxy);
    }

    private @Nullable Object[] wrapped(@Nullable Object[] values) {
        @Nullable Object[] result = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = wrapped(values[i]);
        }
        return result;
    }

    /** Whatever could hand out a real transaction hands out a faulty one. */
    // The only functions and futures in these interfaces; the caller gets the future.
    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"})
    private @Nullable Object wrapped(@Nullable Object value) {
        if (value instanceof Proxy) {
            return value;
        } else if (value instanceof Transaction transaction) {
            return proxy(Transaction.class, (method, arguments) -> fault.call(transaction, method, wrapped(arguments)));
        } else if (value instanceof ReadTransaction reads) {
            return proxy(ReadTransaction.class, (method, arguments) -> fault.call(reads, method, wrapped(arguments)));
        } else if (value instanceof Function<?, ?> function) {
            return ((Function<Object, Object>) function).compose(this::wrapped);
        } else if (value instanceof CompletableFuture<?> future) {
            return future.thenApply(this::wrapped);
        }
        return value;
    }
}
