package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Random programs of the specification's {@code api} operations. The same seed gives the same program. */
final class ApiPrograms {

    private static final Step WAIT = Step.of(DataOperation.WAIT_FUTURE);
    private static final Step COMMIT = Step.all(Step.of(TransactionOperation.COMMIT), WAIT);
    private static final Step NEW_TRANSACTION = Step.of(TransactionOperation.NEW_TRANSACTION);
    /** The errors that a transaction meets, retryable and not. */
    private static final List<Long> ERRORS = List.of(
            1007L, 1009L, 1020L, 1021L, 1025L, 1031L, 1037L, 1038L, 1042L, 1051L, 1101L, 1213L, 2000L, 2017L, 2101L);

    private final Draw draw;
    private final int names;

    private ApiPrograms(long seed) {
        this.draw = new Draw(seed);
        this.names = draw.between(1, 4);
    }

    static Program of(long seed) {
        return new ApiPrograms(seed).program(seed);
    }

    private Program program(long seed) {
        List<Step> steps = new ArrayList<>();
        for (int i = draw.between(0, 12); i > 0; i--) {
            steps.add(Step.of(WriteOperation.SET, Variant.DATABASE, draw.key(), draw.value()));
        }
        for (int i = draw.between(5, 60); i > 0; i--) {
            if (names > 1 && draw.once(3)) {
                String name = "t" + draw.between(1, names);
                steps.add(Step.of(TransactionOperation.USE_TRANSACTION, Keys.bytes(name)));
            }
            steps.add(step());
        }
        return new Program(seed, steps);
    }

    private Step step() {
        int choice = draw.between(0, 99);
        if (choice < 38) {
            return read();
        } else if (choice < 64) {
            return write();
        } else if (choice < 68) {
            return stamped();
        } else if (choice < 74) {
            return conflict();
        } else if (choice < 90) {
            return transaction();
        } else if (choice < 95) {
            return tuple();
        }
        return data();
    }

    private Variant readVariant() {
        return draw.of(
                Variant.TRANSACTION, Variant.TRANSACTION, Variant.TRANSACTION, Variant.SNAPSHOT, Variant.DATABASE);
    }

    private Variant writeVariant() {
        return draw.once(5) ? Variant.DATABASE : Variant.TRANSACTION;
    }

    private Step read() {
        Variant variant = readVariant();
        return switch (draw.between(0, 12)) {
            case 0, 1, 2, 3 -> get(variant);
            case 4, 5 -> {
                List<Object> selector = draw.once(10) ? draw.farSelector(draw.once(2)) : draw.selector();
                yield Step.of(ReadOperation.GET_KEY, variant, selector, prefix());
            }
            case 6, 7 -> Step.of(ReadOperation.GET_RANGE, variant, draw.bounds(), draw.rangeOptions());
            case 8 -> Step.of(ReadOperation.GET_RANGE_STARTS_WITH, variant, draw.anyKey(), draw.rangeOptions());
            case 9, 10, 11 -> Step.of(ReadOperation.GET_RANGE_SELECTOR, variant, selectors());
            default -> metric();
        };
    }

    /** Sometimes waited for only after the key has been written. */
    private Step get(Variant variant) {
        byte[] key = draw.anyKey();
        Step get = Step.of(ReadOperation.GET, variant, key);
        return draw.once(4) ? Step.all(get, Step.of(WriteOperation.SET, key, draw.value()), WAIT) : get;
    }

    /** With a limit, foreign rows would take the place of the program's own. */
    private List<Object> selectors() {
        List<Object> options = draw.rangeOptions();
        boolean limited = !options.get(0).equals(0L);
        boolean far = !limited && draw.once(3);
        List<Object> arguments = new ArrayList<>(selector(far));
        arguments.addAll(selector(far));
        arguments.addAll(options);
        arguments.add(prefix());
        return arguments;
    }

    private List<Object> selector(boolean far) {
        return far && draw.once(2) ? draw.farSelector(draw.once(2)) : draw.selector();
    }

    private Step metric() {
        byte[] begin = Keys.bytes(Keys.WORK);
        byte[] end = Keys.bytes(Keys.WORK + "z");
        return draw.once(2)
                ? Step.of(ReadOperation.GET_ESTIMATED_RANGE_SIZE, begin, end)
                : Step.of(ReadOperation.GET_RANGE_SPLIT_POINTS, begin, end, 10_000_000L);
    }

    private Step write() {
        Variant variant = writeVariant();
        return switch (draw.between(0, 11)) {
            case 0, 1, 2 -> Step.of(WriteOperation.SET, variant, draw.key(), draw.value());
            case 3, 4 -> Step.of(WriteOperation.CLEAR, variant, draw.key());
            case 5, 6 -> Step.of(WriteOperation.CLEAR_RANGE, variant, draw.bounds());
            case 7 -> Step.of(WriteOperation.CLEAR_RANGE_STARTS_WITH, variant, draw.anyKey());
            case 8 -> copy(variant);
            default ->
                Step.of(
                        WriteOperation.ATOMIC_OP,
                        variant,
                        variant == Variant.DATABASE ? draw.idempotentMutation() : draw.mutation(),
                        draw.key(),
                        draw.value());
        };
    }

    /** Writes whatever is on the stack. */
    private Step copy(Variant variant) {
        return Step.all(Step.of(DataOperation.DUP), Step.of(WriteOperation.SET, variant, draw.copyKey()));
    }

    private Step stamped() {
        return switch (draw.between(0, 3)) {
            case 0 ->
                Step.of(
                        WriteOperation.ATOMIC_OP,
                        writeVariant(),
                        "SET_VERSIONSTAMPED_KEY",
                        draw.stampable(Keys.STAMPED_KEYS),
                        draw.value());
            case 1, 2 ->
                Step.of(
                        WriteOperation.ATOMIC_OP,
                        writeVariant(),
                        "SET_VERSIONSTAMPED_VALUE",
                        Keys.bytes(Keys.STAMPED_VALUES + draw.between(1, 3)),
                        draw.stampable(""));
            default -> stampedTuple();
        };
    }

    private Step stampedTuple() {
        List<@Nullable Object> elements = new ArrayList<>();
        elements.add(Keys.bytes(Keys.STAMPED_KEYS));
        elements.add(3L);
        elements.add(draw.element());
        elements.add(draw.once(8) ? "no stamp" : Versionstamp.incomplete(draw.between(0, 3)));
        elements.add(draw.once(8) ? Versionstamp.incomplete(draw.between(0, 3)) : draw.element());
        return Step.all(
                Step.of(TupleOperation.TUPLE_PACK_WITH_VERSIONSTAMP, elements),
                Step.of(DataOperation.SWAP, 1L, draw.value()),
                Step.of(WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_KEY"));
    }

    private Step conflict() {
        return switch (draw.between(0, 4)) {
            case 0 -> Step.of(WriteOperation.READ_CONFLICT_RANGE, draw.bounds());
            case 1 -> Step.of(WriteOperation.WRITE_CONFLICT_RANGE, draw.bounds());
            case 2 -> Step.of(WriteOperation.READ_CONFLICT_KEY, draw.anyKey());
            case 3 -> Step.of(WriteOperation.WRITE_CONFLICT_KEY, draw.anyKey());
            default -> Step.of(WriteOperation.DISABLE_WRITE_CONFLICT);
        };
    }

    private Step transaction() {
        return switch (draw.between(0, 15)) {
            case 0, 1, 2, 3, 4, 5 -> Step.all(COMMIT, NEW_TRANSACTION);
            case 6 -> COMMIT;
            case 7 -> Step.all(COMMIT, Step.of(TransactionOperation.GET_COMMITTED_VERSION), NEW_TRANSACTION);
            case 8 ->
                Step.all(
                        Step.of(TransactionOperation.GET_VERSIONSTAMP),
                        COMMIT,
                        NEW_TRANSACTION,
                        Step.of(DataOperation.SWAP, 1L),
                        WAIT);
            case 9 -> Step.of(TransactionOperation.ON_ERROR, draw.of(ERRORS));
            case 10 -> Step.of(draw.of(TransactionOperation.RESET, TransactionOperation.NEW_TRANSACTION));
            case 11 -> draw.once(3) ? Step.of(TransactionOperation.CANCEL) : Step.all(COMMIT, NEW_TRANSACTION);
            case 12 -> Step.of(ReadOperation.GET_READ_VERSION, draw.of(Variant.TRANSACTION, Variant.SNAPSHOT));
            case 13 -> Step.all(NEW_TRANSACTION, Step.of(TransactionOperation.SET_READ_VERSION));
            case 14 -> Step.of(TransactionOperation.GET_APPROXIMATE_SIZE);
            default ->
                Step.of(
                        draw.once(2)
                                ? TransactionOperation.GET_COMMITTED_VERSION
                                : TransactionOperation.SET_READ_VERSION);
        };
    }

    private Step tuple() {
        List<@Nullable Object> elements = draw.elements(5);
        Step pack = Step.of(TupleOperation.TUPLE_PACK, (long) elements.size(), elements);
        return switch (draw.between(0, 5)) {
            case 0 -> pack;
            case 1 -> Step.all(pack, Step.of(TupleOperation.TUPLE_UNPACK));
            case 2 -> Step.of(TupleOperation.TUPLE_RANGE, (long) elements.size(), elements);
            case 3 ->
                Step.all(
                        pack,
                        Step.of(TupleOperation.TUPLE_PACK, 1L, draw.element()),
                        Step.of(TupleOperation.TUPLE_SORT, 2L));
            case 4 ->
                Step.all(
                        Step.of(
                                TupleOperation.ENCODE_FLOAT,
                                ByteBuffer.allocate(Float.BYTES)
                                        .putFloat((float) draw.number())
                                        .array()),
                        Step.of(TupleOperation.DECODE_FLOAT));
            default ->
                Step.all(
                        Step.of(
                                TupleOperation.ENCODE_DOUBLE,
                                ByteBuffer.allocate(Double.BYTES)
                                        .putDouble((double) draw.number())
                                        .array()),
                        Step.of(TupleOperation.DECODE_DOUBLE));
        };
    }

    private Step data() {
        return switch (draw.between(0, 11)) {
            case 0, 1 -> Step.of(DataOperation.DUP);
            case 2, 3 -> Step.of(DataOperation.SWAP, 1L);
            case 4, 5 -> Step.of(DataOperation.POP);
            case 6 -> Step.of(DataOperation.SUB, draw.number(), draw.number());
            case 7 -> Step.of(DataOperation.CONCAT, draw.value(), draw.value());
            case 8 -> Step.of(DataOperation.CONCAT, "con", "cat");
            case 9 -> Step.of(DataOperation.LOG_STACK, Keys.bytes(Keys.LOG + draw.between(1, 3)));
            case 10 -> Step.of(DataOperation.REOPEN);
            default -> draw.once(4) ? Step.of(DataOperation.EMPTY_STACK) : WAIT;
        };
    }

    private static byte[] prefix() {
        return Keys.bytes(Keys.PREFIX);
    }
}
