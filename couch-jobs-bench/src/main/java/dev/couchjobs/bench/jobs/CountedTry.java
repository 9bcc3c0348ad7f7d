package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One try of a transaction, counting what it asks for. */
final class CountedTry {
    /** How the key space of a job type's pending queue is told from others: RFC 007 names it so. */
    private static final String PENDING = "pending";

    private final AtomicLong keysWritten = new AtomicLong();
    private final AtomicLong bytesWritten = new AtomicLong();
    private final AtomicLong keysRead = new AtomicLong();
    private final AtomicLong rangesRead = new AtomicLong();
    private volatile boolean looksForJobs;

    /** The same transaction, counted. */
    Object counted(ReadTransaction transaction) {
        Class<?> type = transaction instanceof Transaction ? Transaction.class : ReadTransaction.class;
        return Forwarding.to(
                transaction, type, (self, method, arguments) -> forward(self, transaction, method, arguments));
    }

    /** Takes jobs, if it commits. */
    boolean isClaim() {
        return looksForJobs && keysWritten.get() > 0;
    }

    Traffic traffic(long retries) {
        long claims = isClaim() ? 1 : 0;
        return new Traffic(
                1,
                keysWritten.get() > 0 ? 1 : 0,
                retries,
                keysWritten.get(),
                bytesWritten.get(),
                keysRead.get(),
                rangesRead.get(),
                claims,
                0);
    }

    private @Nullable Object forward(
            Object self, ReadTransaction transaction, Method method, @Nullable Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "set", "clear", "clearRangeStartsWith", "mutate" -> write(arguments);
            case "get", "getKey" -> keysRead.incrementAndGet();
            case "getRange" -> readRange(arguments[0]);
            case "snapshot" -> {
                return counted(transaction.snapshot());
            }
            case "run", "runAsync", "read", "readAsync" -> {
                return body(arguments[0]).apply(self);
            }
            default -> {}
        }
        return Forwarding.invoke(transaction, method, arguments);
    }

    @SuppressWarnings("unchecked") // what these methods take first is such a function
    private static Function<Object, Object> body(@Nullable Object argument) {
        return (Function<Object, Object>) Objects.requireNonNull(argument);
    }

    private void write(@Nullable Object[] arguments) {
        keysWritten.incrementAndGet();
        for (Object argument : arguments) {
            if (argument instanceof byte[] bytes) {
                bytesWritten.addAndGet(bytes.length);
            }
        }
    }

    private void readRange(@Nullable Object from) {
        rangesRead.incrementAndGet();
        byte[] begin = from instanceof Range range
                ? range.begin
                : from instanceof KeySelector selector ? selector.getKey() : (byte[]) from;
        if (begin != null && new String(begin, StandardCharsets.ISO_8859_1).contains(PENDING)) {
            looksForJobs = true;
        }
    }
}
