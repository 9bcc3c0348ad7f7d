package dev.couchjobs.costs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A way to a database in virtual time on which an answer takes as long as any other, and all that is asked is noted.
 *
 * <p>A cluster answers questions that are asked at the same time at about the same time, so the time that a transaction
 * takes here tells how many round trips it waits for, one after the other.
 */
public final class MeasuredDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "runAsync", "read", "readAsync");

    private final Database target;
    private final VirtualScheduler time;
    private final Duration roundTrip;
    private final Database way =
            DatabaseProxies.to(Database.class, (self, method, arguments) -> forward(method, arguments));
    private final List<MeasuredTry> tries = new ArrayList<>();
    private int transactions;
    private int watchesArmed;
    private int watchesNow;
    private int watchesAtMost;

    /**
     * A way to a database on which every answer takes a millisecond.
     *
     * @param target the database
     * @param time in which it answers
     */
    public MeasuredDatabase(Database target, VirtualScheduler time) {
        this(target, time, Duration.ofMillis(1));
    }

    /** @param roundTrip how long every answer takes */
    MeasuredDatabase(Database target, VirtualScheduler time, Duration roundTrip) {
        this.target = target;
        this.time = time;
        this.roundTrip = roundTrip;
    }

    /** {@return the way itself} */
    public Database asDatabase() {
        return way;
    }

    /** Forgets all that was noted; watches that are armed stay counted. */
    public void forget() {
        tries.clear();
        transactions = 0;
        watchesArmed = 0;
        watchesAtMost = watchesNow;
    }

    /** {@return how many transactions have begun since all was forgotten, however often each was tried} */
    public int transactions() {
        return transactions;
    }

    /** {@return how many watches have been armed since all was forgotten} */
    public int watchesArmed() {
        return watchesArmed;
    }

    /** {@return how many watches were armed at the same time at most since all was forgotten} */
    public int watchesAtMost() {
        return watchesAtMost;
    }

    private void armed(CompletableFuture<?> watch) {
        watchesArmed++;
        watchesAtMost = Math.max(watchesAtMost, ++watchesNow);
        var unused = watch.whenComplete((fired, error) -> watchesNow--);
    }

    /** {@return every try of every transaction since all was forgotten, in the order in which they began} */
    public List<MeasuredTry> tries() {
        return List.copyOf(tries);
    }

    private @Nullable Object forward(Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("createTransaction")) {
            transactions++;
            return begin((Transaction) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments)));
        }
        if (!TRANSACTIONS.contains(method.getName())) {
            return DatabaseProxies.invoke(target, method, arguments);
        }
        transactions++;
        @Nullable Object[] measured = arguments.clone();
        measured[0] = measuring(arguments[0]);
        return DatabaseProxies.invoke(target, method, measured);
    }

    @SuppressWarnings("unchecked") // what these methods take first is such a function
    private Function<ReadTransaction, Object> measuring(@Nullable Object body) {
        Function<Object, Object> called = (Function<Object, Object>) Objects.requireNonNull(body);
        return transaction -> called.apply(begin(transaction));
    }

    private ReadTransaction begin(ReadTransaction transaction) {
        MeasuredTry next = new MeasuredTry(time, roundTrip.toNanos(), this::armed, this::begin);
        tries.add(next);
        return next.measured(transaction);
    }
}
