package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * A transaction of which some calls do something else: a subclass overrides those, and the others go where they did.
 */
abstract class Altered {

    private final Transaction tr;

    Altered(Transaction tr) {
        this.tr = tr;
    }

    CompletableFuture<byte[]> get(byte[] key) {
        return tr.get(key);
    }

    AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit, boolean reverse) {
        return tr.getRange(begin, end, limit, reverse);
    }

    void addReadConflictKey(byte[] key) {
        tr.addReadConflictKey(key);
    }

    void set(byte[] key, byte[] value) {
        tr.set(key, value);
    }

    void mutate(MutationType type, byte[] key, byte[] operand) {
        tr.mutate(type, key, operand);
    }

    CompletableFuture<Void> commit() {
        return tr.commit();
    }

    void close() {
        tr.close();
    }

    final Transaction asTransaction() {
        return proxy(Transaction.class, (method, arguments) -> {
            Optional<Method> mine = Arrays.stream(Altered.class.getDeclaredMethods())
                    .filter(other -> isSame(method, other))
                    .findFirst();
            return mine.isPresent() ? mine.get().invoke(this, arguments) : method.invoke(tr, arguments);
        });
    }

    /** The database, with {@code change} made to each transaction that it creates. */
    static Database database(Database database, UnaryOperator<Transaction> change) {
        return proxy(Database.class, (method, arguments) -> {
            Object result = method.invoke(database, arguments);
            return method.getName().equals("createTransaction") ? change.apply((Transaction) result) : result;
        });
    }

    private interface Calls {
        Object answer(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Calls calls) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return calls.answer(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static boolean isSame(Method one, Method other) {
        return one.getName().equals(other.getName())
                && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
    }
}
