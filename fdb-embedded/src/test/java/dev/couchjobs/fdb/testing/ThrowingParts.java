package dev.couchjobs.fdb.testing;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parts of an environment and of databases that throw anything, always or now and then, for the tests of all modules. */
public final class ThrowingParts {
    private final int every;
    private final List<Supplier<Throwable>> thrown;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger thrownTimes = new AtomicInteger();
    private final CompletableFuture<Void> firstThrown = new CompletableFuture<>();

    /**
     * Makes parts.
     *
     * @param every a call throws if this divides its number
     * @param thrown what they throw, by turns
     */
    public ThrowingParts(int every, List<Supplier<Throwable>> thrown) {
        this.every = every;
        this.thrown = List.copyOf(thrown);
    }

    /** {@return how often the parts have thrown} */
    public int thrownTimes() {
        return thrownTimes.get();
    }

    /** {@return what completes when the parts have thrown once} */
    public CompletableFuture<Void> firstThrown() {
        return firstThrown;
    }

    @SuppressWarnings("unchecked") // to throw what the compiler does not see
    private <E extends Throwable> void maybe() throws E {
        if (calls.incrementAndGet() % every == 0) {
            firstThrown.complete(null);
            throw (E) thrown.get(thrownTimes.getAndIncrement() % thrown.size()).get();
        }
    }

    public InstantSource clock(InstantSource given) {
        return throwing(InstantSource.class, given, "instant", "millis");
    }

    public RandomGenerator random(RandomGenerator given) {
        return throwing(RandomGenerator.class, given, "next");
    }

    /** {@return a scheduler that throws when it is given a task to run at once} */
    public ScheduledExecutorService tasks(ScheduledExecutorService given) {
        return throwing(ScheduledExecutorService.class, given, "execute");
    }

    /** {@return a scheduler that throws when it is given a timer} */
    public ScheduledExecutorService timers(ScheduledExecutorService given) {
        return throwing(ScheduledExecutorService.class, given, "schedule");
    }

    /** {@return a scheduler whose timers throw when they are cancelled} */
    public ScheduledExecutorService cancellations(ScheduledExecutorService given) {
        return to(ScheduledExecutorService.class, (method, arguments) -> {
            Object result = invoke(given, method, arguments);
            return result instanceof ScheduledFuture<?> timer
                    ? throwing(ScheduledFuture.class, timer, "cancel")
                    : result;
        });
    }

    /** {@return a database whose own executor throws} Its transactions have the executor of the given one. */
    public Database executor(Database given) {
        Executor executor = throwing(given);
        return to(
                Database.class,
                (method, arguments) ->
                        method.getName().equals("getExecutor") ? executor : invoke(given, method, arguments));
    }

    /** {@return a database the executor of whose transactions throws for those who ask a transaction for it} */
    public Database transactions(Database given) {
        Executor executor = throwing(given);
        return to(Database.class, (method, arguments) -> {
            Object[] wrapped = Stream.of(arguments)
                    .map(argument -> argument instanceof Function<?, ?> body ? withExecutor(body, executor) : argument)
                    .toArray();
            Object result = invoke(given, method, wrapped);
            return result instanceof Transaction created ? withExecutor(Transaction.class, created, executor) : result;
        });
    }

    private Executor throwing(Database given) {
        return task -> {
            maybe();
            given.getExecutor().execute(task);
        };
    }

    @SuppressWarnings("unchecked") // the body of a transaction
    private static Function<?, ?> withExecutor(Function<?, ?> body, Executor executor) {
        return tx -> ((Function<Object, ?>) body)
                .apply(
                        tx instanceof Transaction transaction
                                ? withExecutor(Transaction.class, transaction, executor)
                                : withExecutor(ReadTransaction.class, (ReadTransaction) tx, executor));
    }

    /** {@return a transaction, or the snapshot of one, whose executor is another; so is that of its next try} */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private static <T extends ReadTransaction> T withExecutor(Class<T> type, T given, Executor executor) {
        return to(type, (method, arguments) -> {
            if (method.getName().equals("getExecutor")) {
                return executor;
            }
            Object result = invoke(given, method, arguments);
            if (method.getName().equals("onError")) {
                return ((CompletableFuture<?>) Objects.requireNonNull(result))
                        .thenApply(next -> withExecutor(Transaction.class, (Transaction) next, executor));
            }
            return result instanceof ReadTransaction snapshot
                    ? withExecutor(ReadTransaction.class, snapshot, executor)
                    : result;
        });
    }

    /** {@return what throws in the methods whose names begin like one of these} */
    private <T> T throwing(Class<T> type, T given, String... prefixes) {
        return to(type, (method, arguments) -> {
            if (Stream.of(prefixes).anyMatch(method.getName()::startsWith)) {
                maybe();
            }
            return invoke(given, method, arguments);
        });
    }

    private interface Step {
        @Nullable Object call(Method method, @Nullable Object[] arguments) throws Throwable;
    }

    @SuppressWarnings("unchecked") // a proxy is of its one interface
    private static <T> T to(Class<T> type, Step step) {
        return (T) Proxy.newProxyInstance(
                ThrowingParts.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> method.getDeclaringClass() == Object.class
                        ? ofObject(self, method, arguments)
                        : step.call(method, arguments == null ? new Object[0] : arguments));
    }

    private static Object ofObject(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> arguments != null && self == arguments[0];
            default -> "proxy " + System.identityHashCode(self);
        };
    }

    private static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
