package dev.couchjobs.costs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.contract.Forwarding;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A way to a database in virtual time on which an answer takes as long as any other, and all that is asked is noted.
 *
 * <p>A cluster answers questions that are asked at the same time at about the same time, so the time that a transaction
 * takes here tells how many round trips it waits for, one after the other.
 */
final class MeasuredDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "runAsync", "read", "readAsync");

    private final Database target;
    private final VirtualScheduler time;
    private final Duration roundTrip;
    private final List<MeasuredTry> tries = new ArrayList<>();

    /** @param roundTrip how long every answer takes */
    MeasuredDatabase(Database target, VirtualScheduler time, Duration roundTrip) {
        this.target = target;
        this.time = time;
        this.roundTrip = roundTrip;
    }

    Database asDatabase() {
        return Forwarding.to(Database.class, (self, method, arguments) -> forward(method, arguments));
    }

    void forget() {
        tries.clear();
    }

    /** Every try of every transaction since all was forgotten, in the order in which they began. */
    List<MeasuredTry> tries() {
        return List.copyOf(tries);
    }

    private @Nullable Object forward(Method method, @Nullable Object[] arguments) throws Throwable {
        if (!TRANSACTIONS.contains(method.getName())) {
            return Forwarding.invoke(target, method, arguments);
        }
        @Nullable Object[] measured = arguments.clone();
        measured[0] = measuring(arguments[0]);
        return Forwarding.invoke(target, method, measured);
    }

    @SuppressWarnings("unchecked") // what these methods take first is such a function
    private Function<ReadTransaction, Object> measuring(@Nullable Object body) {
        Function<Object, Object> called = (Function<Object, Object>) Objects.requireNonNull(body);
        return transaction -> {
            MeasuredTry next = new MeasuredTry(time, roundTrip.toNanos());
            tries.add(next);
            return called.apply(next.measured(transaction));
        };
    }
}
