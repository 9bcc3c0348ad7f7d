package dev.couchjobs.bench.jobs;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Creates proxies that forward the calls on an interface. */
final class ForwardingProxies {
    private static final Object[] NO_ARGUMENTS = {};

    private ForwardingProxies() {}

    /** Handles a call; {@code arguments} is empty if the method has no parameters. */
    interface CallHandler {
        @Nullable Object call(Object self, Method method, @Nullable Object[] arguments) throws Throwable;
    }

    static Object to(Object target, Class<?> type, CallHandler handler) {
        InvocationHandler invocationHandler =
                (self, method, arguments) -> handler.call(self, method, arguments == null ? NO_ARGUMENTS : arguments);
        return Proxy.newProxyInstance(target.getClass().getClassLoader(), new Class<?>[] {type}, invocationHandler);
    }

    static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
