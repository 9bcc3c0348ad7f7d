package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counts the operations of one try of a transaction. */
final class CountingTransaction {
    /** The name of the key space of pending queues, by RFC 007. */
    private static final String PENDING = "pending";

    /** The key spaces that the monitors, releasers and sweeps read in their rounds. */
    private static final List<String> UPKEEP = Stream.of("activity", "counts", "releasing", "retire")
            .map(CountingTransaction::packed)
            .toList();

    private final Consumer<CompletableFuture<?>> onWatch;
    private final AtomicLong keysWritten = new AtomicLong();
    private final AtomicLong bytesWritten = new AtomicLong();
    private final AtomicLong keysRead = new AtomicLong();
    private final AtomicLong rangesRead = new AtomicLong();
    private final AtomicLong watches = new AtomicLong();
    private volatile boolean looksForJobs;
    private volatile boolean isUpkeep;

    CountingTransaction() {
        this(watch -> {});
    }

    /** {@code onWatch} receives each watch that the try arms. */
    CountingTransaction(Consumer<CompletableFuture<?>> onWatch) {
        this.onWatch = onWatch;
    }

    /** Wraps a transaction so that its operations are counted. */
    Object counted(ReadTransaction transaction) {
        Class<?> type = transaction instanceof Transaction ? Transaction.class : ReadTransaction.class;
        return ForwardingProxies.to(
                transaction, type, (self, method, arguments) -> forward(self, transaction, method, arguments));
    }

    /** Whether the try claims jobs, if it commits. */
    boolean isClaim() {
        return looksForJobs && keysWritten.get() > 0;
    }

    /** Whether the try is a round of a monitor, a releaser or a sweep. */
    boolean isUpkeep() {
        return isUpkeep;
    }

    /** The number of reads, of a key or of a range. */
    long reads() {
        return keysRead.get() + rangesRead.get();
    }

    long watches() {
        return watches.get();
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
            case "get", "getKey" -> readKey(arguments[0]);
            case "getRange" -> readRange(arguments[0]);
            case "watch" -> {
                Object armed = Objects.requireNonNull(ForwardingProxies.invoke(transaction, method, arguments));
                noteWatch((CompletableFuture<?>) armed);
                return armed;
            }
            case "snapshot" -> {
                return counted(transaction.snapshot());
            }
            case "run", "runAsync", "read", "readAsync" -> {
                return body(arguments[0]).apply(self);
            }
            default -> {}
        }
        return ForwardingProxies.invoke(transaction, method, arguments);
    }

    @SuppressWarnings("unchecked") // the first argument of these methods is such a function
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

    private void noteWatch(CompletableFuture<?> armed) {
        watches.incrementAndGet();
        onWatch.accept(armed);
    }

    private void readKey(@Nullable Object from) {
        keysRead.incrementAndGet();
        noteUpkeep(text(from));
    }

    private void readRange(@Nullable Object from) {
        rangesRead.incrementAndGet();
        String begin = text(from);
        noteUpkeep(begin);
        if (begin.contains(PENDING)) {
            looksForJobs = true;
        }
    }

    private void noteUpkeep(String key) {
        if (UPKEEP.stream().anyMatch(key::contains)) {
            isUpkeep = true;
        }
    }

    private static String text(@Nullable Object from) {
        byte[] key = from instanceof Range range
                ? range.begin
                : from instanceof KeySelector selector ? selector.getKey() : (byte[]) from;
        return new String(Objects.requireNonNull(key), StandardCharsets.ISO_8859_1);
    }

    /** The bytes of a word as an element of a key. */
    private static String packed(String word) {
        return new String(Tuple.from(word).pack(), StandardCharsets.ISO_8859_1);
    }
}
