package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.ThreadTransaction;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Calls methods with {@link JobsTransactional} again after a conflict. It stands just outside of Spring's own advisor,
 * so that each call has a transaction of its own. A method that joins a transaction is not repeated, as the transaction
 * is lost.
 *
 * <p>After the last try the caller gets an exception of another class than {@link ConflictException}, so that no
 * transaction repeats the tries of one that it contains.
 */
final class ConflictAdvisor extends StaticMethodMatcherPointcutAdvisor implements AutoCloseable {
    private static final long serialVersionUID = 1;
    private static final Duration FIRST_PAUSE_MAX = Duration.ofMillis(10);
    private static final int DOUBLED_MAX = 6;

    private final transient Environment environment = Environment.system();
    private final transient Supplier<Database> database;
    private final transient Supplier<CouchJobsProperties> properties;

    /** The suppliers are asked when a method is called, since advisors are made before other beans. */
    ConflictAdvisor(Supplier<Database> database, Supplier<CouchJobsProperties> properties, int order) {
        this.database = database;
        this.properties = properties;
        setOrder(order);
        setAdvice((MethodInterceptor) this::invoke);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        JobsTransactional found = find(method, targetClass);
        if (found != null) {
            requireCallsByTheProxy(targetClass);
        }
        if (found != null && found.tries() < JobsTransactional.AS_CONFIGURED) {
            throw new IllegalArgumentException("@JobsTransactional(tries = " + found.tries() + ") of "
                    + targetClass.getName() + "." + method.getName()
                    + ": tries is at least 1, which means that the method is not repeated.");
        }
        return found != null;
    }

    /** A proxy does not see calls of these methods: without a word they would have no transaction. */
    private static void requireCallsByTheProxy(Class<?> targetClass) {
        for (Method method : ReflectionUtils.getAllDeclaredMethods(targetClass)) {
            int modifiers = method.getModifiers();
            boolean isUnseen = Modifier.isPrivate(modifiers)
                    || Modifier.isStatic(modifiers)
                    || (Modifier.isFinal(modifiers) && isOfNoInterface(method, targetClass));
            if (isUnseen && AnnotatedElementUtils.hasAnnotation(method, JobsTransactional.class)) {
                throw new IllegalArgumentException("@JobsTransactional of "
                        + method.getDeclaringClass().getName() + "." + method.getName()
                        + ": a method that is private, static or final gets no transaction, as Spring's proxy does not"
                        + " see its calls.");
            }
        }
    }

    /** {@return whether even a proxy of interfaces does not see calls of a method} */
    private static boolean isOfNoInterface(Method method, Class<?> targetClass) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(targetClass))
                .noneMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
    }

    /** {@return the annotation that governs a method} One on the method precedes one on its class. */
    private static @Nullable JobsTransactional find(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        return AnnotatedElementUtils.hasAnnotation(specific, Transactional.class)
                ? AnnotatedElementUtils.findMergedAnnotation(specific, JobsTransactional.class)
                : AnnotatedElementUtils.findMergedAnnotation(targetClass, JobsTransactional.class);
    }

    private @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        JobsTransactional settings = Objects.requireNonNull(
                find(call.getMethod(), target == null ? call.getMethod().getDeclaringClass() : target.getClass()));
        boolean isJoining = settings.propagation() != Propagation.REQUIRES_NEW
                && ThreadTransaction.of(database.get()).isPresent();
        return isJoining ? call.proceed() : repeat(call, triesMax(settings));
    }

    private int triesMax(JobsTransactional settings) {
        return settings.tries() == JobsTransactional.AS_CONFIGURED
                ? properties.get().transactions().tries()
                : settings.tries();
    }

    private @Nullable Object repeat(MethodInvocation call, int triesMax) throws Throwable {
        for (int tries = 1; ; tries++) {
            try {
                // An invocation proceeds once, and a clone of it has its own arguments.
                return call instanceof ProxyMethodInvocation proxy
                        ? proxy.invocableClone().proceed()
                        : call.proceed();
            } catch (ConflictException e) {
                if (tries >= triesMax || !pause(tries)) {
                    throw new ConcurrencyFailureException(
                            "Each of " + tries + " tries conflicted with another transaction. " + e.getMessage(), e);
                }
            }
        }
    }

    /**
     * Waits before the next try. The longest pause doubles with each try; a random part of it keeps those that have
     * conflicted apart.
     *
     * @return whether there is to be another try: not if the thread is interrupted
     */
    private boolean pause(int tries) throws ExecutionException {
        long nanosMax = FIRST_PAUSE_MAX.toNanos() << Math.min(tries - 1, DOUBLED_MAX);
        try {
            environment
                    .scheduler()
                    .schedule(() -> {}, environment.random().nextLong(nanosMax), TimeUnit.NANOSECONDS)
                    .get();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        environment.close();
    }
}
