package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.List;

/**
 * Random programs that are nothing but transactions of writes of every kind and, between them, reads by selectors: at
 * both ends, in both directions, with limits, in every mode, as a snapshot or not, and without own writes.
 */
final class ReadPrograms {

    private static final InstructionGroup COMMIT = InstructionGroup.all(
            InstructionGroup.of(TransactionOperation.COMMIT), InstructionGroup.of(DataOperation.WAIT_FUTURE));
    private static final InstructionGroup NEW_TRANSACTION = InstructionGroup.of(TransactionOperation.NEW_TRANSACTION);
    private static final int LEAST_OFFSET = -3;
    private static final int GREATEST_OFFSET = 4;

    private final Draw draw;

    private ReadPrograms(long seed) {
        this.draw = new Draw(seed);
    }

    static Program of(long seed) {
        return new ReadPrograms(seed).program(seed);
    }

    private Program program(long seed) {
        List<InstructionGroup> groups = new ArrayList<>();
        for (int i = draw.between(0, 8); i > 0; i--) {
            groups.add(InstructionGroup.of(WriteOperation.SET, Variant.DATABASE, draw.anyKey(), draw.value()));
        }
        for (int transactions = draw.between(1, 3); transactions > 0; transactions--) {
            groups.add(begin());
            for (int i = draw.between(2, 14); i > 0; i--) {
                groups.add(draw.once(2) ? write() : read());
            }
            groups.add(COMMIT);
        }
        return new Program(seed, groups);
    }

    private InstructionGroup begin() {
        return switch (draw.between(0, 7)) {
            case 0 ->
                InstructionGroup.all(
                        NEW_TRANSACTION, InstructionGroup.of(TransactionOperation.DISABLE_READ_YOUR_WRITES));
            case 1 ->
                InstructionGroup.all(
                        NEW_TRANSACTION, InstructionGroup.of(TransactionOperation.DISABLE_SNAPSHOT_READ_YOUR_WRITES));
            default -> NEW_TRANSACTION;
        };
    }

    private InstructionGroup write() {
        return switch (draw.between(0, 11)) {
            case 0, 1 -> InstructionGroup.of(WriteOperation.SET, draw.key(), draw.value());
            case 2, 3 -> InstructionGroup.of(WriteOperation.CLEAR, draw.key());
            case 4 -> InstructionGroup.of(WriteOperation.CLEAR_RANGE, draw.bounds());
            case 5, 6 -> InstructionGroup.of(WriteOperation.ATOMIC_OP, "COMPARE_AND_CLEAR", draw.key(), draw.value());
            case 7 ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        "SET_VERSIONSTAMPED_VALUE",
                        ProgramKeys.bytes(ProgramKeys.STAMPED_VALUES + draw.between(1, 3)),
                        draw.stampable(""));
            case 8 ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        "SET_VERSIONSTAMPED_KEY",
                        draw.stampable(ProgramKeys.STAMPED_KEYS),
                        draw.value());
            default -> InstructionGroup.of(WriteOperation.ATOMIC_OP, draw.mutation(), draw.key(), draw.value());
        };
    }

    private InstructionGroup read() {
        Variant variant = draw.of(Variant.TRANSACTION, Variant.TRANSACTION, Variant.SNAPSHOT);
        if (draw.once(4)) {
            return InstructionGroup.of(
                    ReadOperation.GET_KEY, variant, selector(), ProgramKeys.bytes(ProgramKeys.PREFIX));
        }
        return InstructionGroup.of(
                ReadOperation.GET_RANGE_SELECTOR,
                variant,
                selector(),
                selector(),
                draw.rangeOptions(),
                ProgramKeys.bytes(ProgramKeys.PREFIX));
    }

    private List<Object> selector() {
        return List.of(draw.anyKey(), draw.flag(), (long) draw.between(LEAST_OFFSET, GREATEST_OFFSET));
    }
}
