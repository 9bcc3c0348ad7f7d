package dev.couchjobs.bench.jobs;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Objects that stand before others of the same interface. */
final class ForwardingProxies {
    private static final Object[] NO_ARGUMENTS = {};

    private ForwardingProxies() {}

    /** What is done when a method is called; there are always arguments, if only none. */
    interface Step {
        @Nullable Object call(Object self, Method method, @Nullable Object[] arguments) throws Throwable;
    }

    static Object to(Object target, Class<?> type, Step step) {
        InvocationHandler handler =
                (self, method, arguments) -> step.call(self, method, arguments == null ? NO_ARGUMENTS : arguments);
        return Proxy.newProxyInstance(target.getClass().getClassLoader(), new Class<?>[] {type}, handler);
    }

    static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
