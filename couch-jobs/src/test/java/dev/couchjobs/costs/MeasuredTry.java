package dev.couchjobs.costs;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionOptions;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One try of a transaction: what it asks of the database and what it writes.
 *
 * <p>As in FoundationDB's client, what was read or set once in a transaction is known from then on, and asking again
 * costs nothing. A watch reads its key, and the commit waits for what is still being read.
 */
public final class MeasuredTry {
    private static final int NEXT_WRITE_NO_WRITE_CONFLICT_RANGE = 30;
    private static final int STAMP_OFFSET_BYTES = Integer.BYTES;
    /** The code of the integer 0 in a tuple; that of another one says how many bytes it has. */
    private static final int INTEGER_ZERO = 0x14;

    private final VirtualScheduler time;
    private final long roundTrip;
    private final long begun;
    private final KnownRanges known = new KnownRanges();
    private final KnownRanges readConflicts = new KnownRanges();
    private final KnownRanges writeConflicts = new KnownRanges();
    private final Set<String> readFrom = new LinkedHashSet<>();
    private final Set<String> writtenTo = new LinkedHashSet<>();
    private long lastAnswer;
    private int reads;
    private int keysRead;
    /** How many bytes there are at last under each key. */
    private final NavigableMap<byte[], Integer> written = new TreeMap<>(Arrays::compareUnsigned);

    private boolean withoutConflict;
    private final Consumer<CompletableFuture<?>> onWatch;
    private final UnaryOperator<ReadTransaction> onRetry;

    /**
     * A try that has asked for nothing.
     *
     * @param roundTrip how long an answer takes, in nanoseconds
     * @param onWatch is given every watch that is armed
     * @param onRetry measures the transaction of the next try
     */
    MeasuredTry(
            VirtualScheduler time,
            long roundTrip,
            Consumer<CompletableFuture<?>> onWatch,
            UnaryOperator<ReadTransaction> onRetry) {
        this.onRetry = onRetry;
        this.onWatch = onWatch;
        this.time = time;
        this.roundTrip = roundTrip;
        this.begun = time.nanoTime();
        this.lastAnswer = begun;
    }

    /** The same transaction, measured. */
    ReadTransaction measured(ReadTransaction target) {
        ReadTransaction snapshot = view(ReadTransaction.class, target.snapshot(), null);
        return target instanceof Transaction transaction
                ? view(Transaction.class, transaction, snapshot)
                : view(ReadTransaction.class, target, snapshot);
    }

    private <T extends ReadTransaction> T view(Class<T> type, T target, @Nullable ReadTransaction snapshot) {
        return DatabaseProxies.to(
                type, (self, method, arguments) -> forward(self, target, snapshot, method, arguments));
    }

    /** {@return from which subspaces it has read} */
    public Set<String> readFrom() {
        return Set.copyOf(readFrom);
    }

    /** {@return how many questions it asked, of one key or of a range} */
    public int reads() {
        return reads;
    }

    /** {@return what it costs} */
    public Cost cost() {
        int trips = Math.toIntExact((lastAnswer - begun) / roundTrip);
        return new Cost(
                1,
                trips,
                reads,
                keysRead,
                written.size(),
                written.values().stream().mapToInt(Integer::intValue).sum(),
                readConflicts.size(),
                writeConflicts.size(),
                Set.copyOf(readFrom),
                Set.copyOf(writtenTo));
    }

    // The caller of the forwarded method gets its future; what joins a transaction is such a function.
    @SuppressWarnings({"FutureReturnValueIgnored", "unchecked"})
    private @Nullable Object forward(
            Object self,
            ReadTransaction target,
            @Nullable ReadTransaction snapshot,
            Method method,
            @Nullable Object[] arguments)
            throws Throwable {
        boolean conflicting = snapshot != null;
        switch (method.getName()) {
            case "snapshot" -> {
                return Objects.requireNonNullElse(snapshot, self);
            }
            case "get" -> {
                return get(target, key(arguments[0]), conflicting);
            }
            case "getRange" -> {
                return range(DatabaseProxies.invoke(target, method, arguments), arguments, conflicting);
            }
            case "onError" -> {
                return ((CompletableFuture<?>)
                                Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments)))
                        .thenApply(next -> onRetry.apply((ReadTransaction) next));
            }
            case "watch" -> {
                var unused = get(target, key(arguments[0]), true);
                CompletableFuture<?> watch = (CompletableFuture<?>)
                        Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments));
                onWatch.accept(watch);
                return watch;
            }
            case "set", "clear" -> {
                write(arguments);
                known.add(written(arguments));
            }
            case "mutate" -> write(arguments);
            case "addReadConflictKey" -> readConflicts.add(only(key(arguments[0])));
            case "addWriteConflictKey" -> writeConflicts.add(only(key(arguments[0])));
            case "options" -> {
                return options(
                        (TransactionOptions) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments)));
            }
            case "addReadConflictRange" -> readConflicts.add(new Range(key(arguments[0]), key(arguments[1])));
            case "run", "runAsync", "read", "readAsync" -> {
                return ((Function<Object, Object>) Objects.requireNonNull(arguments[0])).apply(self);
            }
            case "getKey", "clearRangeStartsWith" ->
                throw new UnsupportedOperationException(method.getName() + " is not measured yet");
            default -> {}
        }
        return DatabaseProxies.invoke(target, method, arguments);
    }

    private TransactionOptions options(TransactionOptions target) {
        return new TransactionOptions((code, parameter) -> {
            withoutConflict |= code == NEXT_WRITE_NO_WRITE_CONFLICT_RANGE;
            target.getOptionConsumer().setOption(code, parameter);
        });
    }

    private CompletableFuture<byte[]> get(ReadTransaction target, byte[] key, boolean conflicting) {
        return target.get(key).thenCompose(value -> answered(value, key, only(key), 1, conflicting));
    }

    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"}) // what getRange returns; its caller gets it
    private AsyncIterable<KeyValue> range(@Nullable Object rows, @Nullable Object[] arguments, boolean conflicting) {
        AsyncIterable<KeyValue> target = (AsyncIterable<KeyValue>) Objects.requireNonNull(rows);
        Range asked = asked(arguments);
        int options = arguments[0] instanceof Range ? 1 : 2;
        int limit = arguments.length > options ? (Integer) Objects.requireNonNull(arguments[options]) : 0;
        boolean reverse = arguments.length > options + 1 && (Boolean) Objects.requireNonNull(arguments[options + 1]);
        Function<List<KeyValue>, Range> seen = found -> seen(asked, limit, reverse, found);
        Supplier<CompletableFuture<List<KeyValue>>> all = () -> target.asList()
                .thenCompose(found -> answered(found, asked.begin, seen.apply(found), found.size(), conflicting));
        return DatabaseProxies.to(AsyncIterable.class, (self, method, none) -> switch (method.getName()) {
            case "asList" -> all.get();
            case "iterator" -> new AnsweredIterator(all.get());
            default -> throw new UnsupportedOperationException(method.getName() + " is not measured yet");
        });
    }

    private static Range asked(@Nullable Object[] arguments) {
        return arguments[0] instanceof Range range ? range : new Range(selected(arguments[0]), selected(arguments[1]));
    }

    /** {@return the least key that a selector may select} */
    private static byte[] selected(@Nullable Object argument) {
        KeySelector selector = (KeySelector) Objects.requireNonNull(argument);
        if (selector.getOffset() != 1) {
            throw new UnsupportedOperationException(selector + " is not measured yet");
        }
        return selector.orEqual() ? ByteArrayUtil.keyAfter(selector.getKey()) : selector.getKey();
    }

    /** Rows that come with one answer. */
    private static final class AnsweredIterator implements AsyncIterator<KeyValue> {
        private final CompletableFuture<Iterator<KeyValue>> rows;

        AnsweredIterator(CompletableFuture<List<KeyValue>> answer) {
            rows = answer.thenApply(List::iterator);
        }

        @Override
        public CompletableFuture<Boolean> onHasNext() {
            return rows.thenApply(Iterator::hasNext);
        }

        @Override
        public boolean hasNext() {
            return rows.join().hasNext();
        }

        @Override
        public KeyValue next() {
            return rows.join().next();
        }

        @Override
        public void cancel() {}
    }

    /** What a read of a range has seen: up to its last row, if there may be more. */
    private static Range seen(Range asked, int limit, boolean reverse, List<KeyValue> found) {
        if (limit == 0 || found.size() < limit) {
            return asked;
        }
        byte[] last = found.get(found.size() - 1).getKey();
        return reverse ? new Range(last, asked.end) : new Range(asked.begin, ByteArrayUtil.keyAfter(last));
    }

    private <T> CompletableFuture<T> answered(T answer, byte[] from, Range seen, int keys, boolean conflicting) {
        readFrom.add(subspace(from));
        if (conflicting) {
            readConflicts.add(seen);
        }
        if (known.covers(seen)) {
            return CompletableFuture.completedFuture(answer);
        }
        reads++;
        keysRead += keys;
        lastAnswer = time.nanoTime() + roundTrip;
        CompletableFuture<T> told = new CompletableFuture<>();
        var unused = time.schedule(
                () -> {
                    known.add(seen);
                    return told.complete(answer);
                },
                roundTrip,
                TimeUnit.NANOSECONDS);
        return told;
    }

    private void write(@Nullable Object[] arguments) {
        Range where = written(arguments);
        writtenTo.add(subspace(where.begin));
        written.put(where.begin, bytes(arguments));
        if (!withoutConflict) {
            writeConflicts.add(where);
        }
        withoutConflict = false;
    }

    private static int bytes(@Nullable Object[] arguments) {
        boolean stamped =
                arguments[0] instanceof MutationType type && type.name().startsWith("SET_VERSIONSTAMPED");
        int bytes = stamped ? -STAMP_OFFSET_BYTES : 0;
        for (Object argument : arguments) {
            if (argument instanceof Range range) {
                bytes += range.begin.length + range.end.length;
            } else if (argument instanceof byte[] keyOrValue) {
                bytes += keyOrValue.length;
            }
        }
        return bytes;
    }

    private static Range written(@Nullable Object[] arguments) {
        if (arguments[0] instanceof Range range) {
            return range;
        }
        if (arguments[0] == MutationType.SET_VERSIONSTAMPED_KEY) {
            byte[] operand = key(arguments[1]);
            return only(Arrays.copyOf(operand, operand.length - STAMP_OFFSET_BYTES));
        }
        return only(key(arguments[0] instanceof MutationType ? arguments[1] : arguments[0]));
    }

    private static byte[] key(@Nullable Object argument) {
        return (byte[]) Objects.requireNonNull(argument);
    }

    private static Range only(byte[] key) {
        return new Range(key, ByteArrayUtil.keyAfter(key));
    }

    /** By which of the subspaces of RFC 007 and of those beyond it the key is; of topics, those of RFC 035. */
    private static String subspace(byte[] key) {
        int end = afterString(key, afterString(key, 0));
        String name = Tuple.fromBytes(key, 0, end).getString(1);
        boolean isOfTopic =
                name.equals("data") && Tuple.fromBytes(key, 0, end).getString(0).equals("couch_topics");
        if (!isOfTopic) {
            return name;
        }
        int part = end + 1 + Math.abs(key[end] - INTEGER_ZERO);
        boolean isAll = part + 1 >= key.length;
        return isAll
                ? name
                : Tuple.fromBytes(key, part, afterString(key, part) - part).getString(0);
    }

    private static int afterString(byte[] key, int begin) {
        int end = begin;
        while (key[end] != 0) {
            end++;
        }
        return end + 1;
    }
}
