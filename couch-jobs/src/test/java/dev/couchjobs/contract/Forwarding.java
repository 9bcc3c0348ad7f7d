package dev.couchjobs.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Objects that stand before others of the same interface. */
public final class Forwarding {
    private static final Object[] NO_ARGUMENTS = {};

    private Forwarding() {}

    /** What is done when a method is called; there are always arguments, if only none. */
    public interface Step {
        @Nullable Object call(Object self, Method method, @Nullable Object[] arguments) throws Throwable;
    }

    @SuppressWarnings("unchecked") // a proxy is of its one interface
    public static <T> T to(Class<T> type, Step step) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> step.call(self, method, arguments == null ? NO_ARGUMENTS : arguments));
    }

    public static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
