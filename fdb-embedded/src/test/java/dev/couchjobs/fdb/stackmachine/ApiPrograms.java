package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Random programs of the specification's {@code api} operations. The same seed gives the same program. */
final class ApiPrograms {

    private static final InstructionGroup WAIT = InstructionGroup.of(DataOperation.WAIT_FUTURE);
    private static final InstructionGroup COMMIT =
            InstructionGroup.all(InstructionGroup.of(TransactionOperation.COMMIT), WAIT);
    private static final InstructionGroup NEW_TRANSACTION = InstructionGroup.of(TransactionOperation.NEW_TRANSACTION);
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
        List<InstructionGroup> groups = new ArrayList<>();
        for (int i = draw.between(0, 12); i > 0; i--) {
            groups.add(InstructionGroup.of(WriteOperation.SET, Variant.DATABASE, draw.key(), draw.value()));
        }
        for (int i = draw.between(5, 60); i > 0; i--) {
            if (names > 1 && draw.once(3)) {
                String name = "t" + draw.between(1, names);
                groups.add(InstructionGroup.of(TransactionOperation.USE_TRANSACTION, ProgramKeys.bytes(name)));
            }
            groups.add(group());
        }
        return new Program(seed, groups);
    }

    private InstructionGroup group() {
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

    private InstructionGroup read() {
        Variant variant = readVariant();
        return switch (draw.between(0, 12)) {
            case 0, 1, 2, 3 -> get(variant);
            case 4, 5 -> {
                List<Object> selector = draw.once(10) ? draw.farSelector(draw.once(2)) : draw.selector();
                yield InstructionGroup.of(ReadOperation.GET_KEY, variant, selector, prefix());
            }
            case 6, 7 -> InstructionGroup.of(ReadOperation.GET_RANGE, variant, draw.bounds(), draw.rangeOptions());
            case 8 ->
                InstructionGroup.of(ReadOperation.GET_RANGE_STARTS_WITH, variant, draw.anyKey(), draw.rangeOptions());
            case 9, 10, 11 -> InstructionGroup.of(ReadOperation.GET_RANGE_SELECTOR, variant, selectors());
            default -> metric();
        };
    }

    /** Sometimes waited for only after the key has been written. */
    private InstructionGroup get(Variant variant) {
        byte[] key = draw.anyKey();
        InstructionGroup get = InstructionGroup.of(ReadOperation.GET, variant, key);
        return draw.once(4)
                ? InstructionGroup.all(get, InstructionGroup.of(WriteOperation.SET, key, draw.value()), WAIT)
                : get;
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

    private InstructionGroup metric() {
        byte[] begin = ProgramKeys.bytes(ProgramKeys.WORK);
        byte[] end = ProgramKeys.bytes(ProgramKeys.WORK + "z");
        return draw.once(2)
                ? InstructionGroup.of(ReadOperation.GET_ESTIMATED_RANGE_SIZE, begin, end)
                : InstructionGroup.of(ReadOperation.GET_RANGE_SPLIT_POINTS, begin, end, 10_000_000L);
    }

    private InstructionGroup write() {
        Variant variant = writeVariant();
        return switch (draw.between(0, 11)) {
            case 0, 1, 2 -> InstructionGroup.of(WriteOperation.SET, variant, draw.key(), draw.value());
            case 3, 4 -> InstructionGroup.of(WriteOperation.CLEAR, variant, draw.key());
            case 5, 6 -> InstructionGroup.of(WriteOperation.CLEAR_RANGE, variant, draw.bounds());
            case 7 -> InstructionGroup.of(WriteOperation.CLEAR_RANGE_STARTS_WITH, variant, draw.anyKey());
            case 8 -> copy(variant);
            default ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        variant,
                        variant == Variant.DATABASE ? draw.idempotentMutation() : draw.mutation(),
                        draw.key(),
                        draw.value());
        };
    }

    /** Writes whatever is on the stack. */
    private InstructionGroup copy(Variant variant) {
        return InstructionGroup.all(
                InstructionGroup.of(DataOperation.DUP),
                InstructionGroup.of(WriteOperation.SET, variant, draw.copyKey()));
    }

    private InstructionGroup stamped() {
        return switch (draw.between(0, 3)) {
            case 0 ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        writeVariant(),
                        "SET_VERSIONSTAMPED_KEY",
                        draw.stampable(ProgramKeys.STAMPED_KEYS),
                        draw.value());
            case 1, 2 ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        writeVariant(),
                        "SET_VERSIONSTAMPED_VALUE",
                        ProgramKeys.bytes(ProgramKeys.STAMPED_VALUES + draw.between(1, 3)),
                        draw.stampable(""));
            default -> stampedTuple();
        };
    }

    private InstructionGroup stampedTuple() {
        List<@Nullable Object> elements = new ArrayList<>();
        elements.add(ProgramKeys.bytes(ProgramKeys.STAMPED_KEYS));
        elements.add(3L);
        elements.add(draw.element());
        elements.add(draw.once(8) ? "no stamp" : Versionstamp.incomplete(draw.between(0, 3)));
        elements.add(draw.once(8) ? Versionstamp.incomplete(draw.between(0, 3)) : draw.element());
        return InstructionGroup.all(
                InstructionGroup.of(TupleOperation.TUPLE_PACK_WITH_VERSIONSTAMP, elements),
                InstructionGroup.of(DataOperation.SWAP, 1L, draw.value()),
                InstructionGroup.of(WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_KEY"));
    }

    private InstructionGroup conflict() {
        return switch (draw.between(0, 4)) {
            case 0 -> InstructionGroup.of(WriteOperation.READ_CONFLICT_RANGE, draw.bounds());
            case 1 -> InstructionGroup.of(WriteOperation.WRITE_CONFLICT_RANGE, draw.bounds());
            case 2 -> InstructionGroup.of(WriteOperation.READ_CONFLICT_KEY, draw.anyKey());
            case 3 -> InstructionGroup.of(WriteOperation.WRITE_CONFLICT_KEY, draw.anyKey());
            default -> InstructionGroup.of(WriteOperation.DISABLE_WRITE_CONFLICT);
        };
    }

    private InstructionGroup transaction() {
        return switch (draw.between(0, 15)) {
            case 0, 1, 2, 3, 4, 5 -> InstructionGroup.all(COMMIT, NEW_TRANSACTION);
            case 6 -> COMMIT;
            case 7 ->
                InstructionGroup.all(
                        COMMIT, InstructionGroup.of(TransactionOperation.GET_COMMITTED_VERSION), NEW_TRANSACTION);
            case 8 ->
                InstructionGroup.all(
                        InstructionGroup.of(TransactionOperation.GET_VERSIONSTAMP),
                        COMMIT,
                        NEW_TRANSACTION,
                        InstructionGroup.of(DataOperation.SWAP, 1L),
                        WAIT);
            case 9 -> InstructionGroup.of(TransactionOperation.ON_ERROR, draw.of(ERRORS));
            case 10 -> InstructionGroup.of(draw.of(TransactionOperation.RESET, TransactionOperation.NEW_TRANSACTION));
            case 11 ->
                draw.once(3)
                        ? InstructionGroup.of(TransactionOperation.CANCEL)
                        : InstructionGroup.all(COMMIT, NEW_TRANSACTION);
            case 12 ->
                InstructionGroup.of(ReadOperation.GET_READ_VERSION, draw.of(Variant.TRANSACTION, Variant.SNAPSHOT));
            case 13 ->
                InstructionGroup.all(NEW_TRANSACTION, InstructionGroup.of(TransactionOperation.SET_READ_VERSION));
            case 14 -> InstructionGroup.of(TransactionOperation.GET_APPROXIMATE_SIZE);
            default ->
                InstructionGroup.of(
                        draw.once(2)
                                ? TransactionOperation.GET_COMMITTED_VERSION
                                : TransactionOperation.SET_READ_VERSION);
        };
    }

    private InstructionGroup tuple() {
        List<@Nullable Object> elements = draw.elements(5);
        InstructionGroup pack = InstructionGroup.of(TupleOperation.TUPLE_PACK, (long) elements.size(), elements);
        return switch (draw.between(0, 5)) {
            case 0 -> pack;
            case 1 -> InstructionGroup.all(pack, InstructionGroup.of(TupleOperation.TUPLE_UNPACK));
            case 2 -> InstructionGroup.of(TupleOperation.TUPLE_RANGE, (long) elements.size(), elements);
            case 3 ->
                InstructionGroup.all(
                        pack,
                        InstructionGroup.of(TupleOperation.TUPLE_PACK, 1L, draw.element()),
                        InstructionGroup.of(TupleOperation.TUPLE_SORT, 2L));
            case 4 ->
                InstructionGroup.all(
                        InstructionGroup.of(
                                TupleOperation.ENCODE_FLOAT,
                                ByteBuffer.allocate(Float.BYTES)
                                        .putFloat((float) draw.number())
                                        .array()),
                        InstructionGroup.of(TupleOperation.DECODE_FLOAT));
            default ->
                InstructionGroup.all(
                        InstructionGroup.of(
                                TupleOperation.ENCODE_DOUBLE,
                                ByteBuffer.allocate(Double.BYTES)
                                        .putDouble((double) draw.number())
                                        .array()),
                        InstructionGroup.of(TupleOperation.DECODE_DOUBLE));
        };
    }

    private InstructionGroup data() {
        return switch (draw.between(0, 11)) {
            case 0, 1 -> InstructionGroup.of(DataOperation.DUP);
            case 2, 3 -> InstructionGroup.of(DataOperation.SWAP, 1L);
            case 4, 5 -> InstructionGroup.of(DataOperation.POP);
            case 6 -> InstructionGroup.of(DataOperation.SUB, draw.number(), draw.number());
            case 7 -> InstructionGroup.of(DataOperation.CONCAT, draw.value(), draw.value());
            case 8 -> InstructionGroup.of(DataOperation.CONCAT, "con", "cat");
            case 9 ->
                InstructionGroup.of(DataOperation.LOG_STACK, ProgramKeys.bytes(ProgramKeys.LOG + draw.between(1, 3)));
            case 10 -> InstructionGroup.of(DataOperation.REOPEN);
            default -> draw.once(4) ? InstructionGroup.of(DataOperation.EMPTY_STACK) : WAIT;
        };
    }

    private static byte[] prefix() {
        return ProgramKeys.bytes(ProgramKeys.PREFIX);
    }
}
