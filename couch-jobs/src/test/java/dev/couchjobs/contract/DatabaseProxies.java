package dev.couchjobs.contract;

import com.apple.foundationdb.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Objects that stand before others of the same interface. */
public final class DatabaseProxies {
    private static final Object[] NO_ARGUMENTS = {};

    private DatabaseProxies() {}

    /** What is done when a method is called; there are always arguments, if only none. */
    public interface Step {
        @Nullable Object call(Object self, Method method, @Nullable Object[] arguments) throws Throwable;
    }

    @SuppressWarnings("unchecked") // a proxy is of its one interface
    public static <T> T to(Class<T> type, Step step) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> method.getDeclaringClass() == Object.class
                        ? ofObject(self, method, arguments)
                        : step.call(self, method, arguments == null ? NO_ARGUMENTS : arguments));
    }

    /** Maps ask for these often. */
    private static Object ofObject(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> arguments != null && self == arguments[0];
            default -> "proxy " + System.identityHashCode(self);
        };
    }

    public static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /**
     * {@return a transaction whose commit, and that of each further try, is replaced by a step, which is given the real
     * one}
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    public static Transaction committing(Transaction target, Step commit) {
        return to(Transaction.class, (self, method, arguments) -> switch (method.getName()) {
            case "commit" -> commit.call(target, method, arguments);
            case "onError" ->
                ((CompletableFuture<?>) Objects.requireNonNull(invoke(target, method, arguments)))
                        .thenApply(next -> committing((Transaction) next, commit));
            default -> invoke(target, method, arguments);
        });
    }
}
