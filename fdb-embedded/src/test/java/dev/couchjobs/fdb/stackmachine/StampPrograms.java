package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.List;

/**
 * Random programs whose reads come near keys that wait for their stamp. Each transaction writes a few keys, of which at
 * least one waits; then it reads ranges whose selectors begin at its own keys, at the same key or at two that are close,
 * and count over them. Stamped keys of earlier transactions lie where those of later ones may come to lie.
 */
final class StampPrograms {

    private static final InstructionGroup COMMIT = InstructionGroup.all(
            InstructionGroup.of(TransactionOperation.COMMIT), InstructionGroup.of(DataOperation.WAIT_FUTURE));
    private static final InstructionGroup NEW_TRANSACTION = InstructionGroup.of(TransactionOperation.NEW_TRANSACTION);
    private static final int FURTHEST = 5;
    /** Keys with a stamped value: nothing is calculated with those, because stamps differ from run to run. */
    private static final List<String> STAMPED = List.of("aa", "c", "d");

    private static final List<String> CALCULATED = List.of("a", "b", "e");

    private final Draw draw;
    private final List<byte[]> own = new ArrayList<>();
    /** Of stamped keys, in all transactions. */
    private final List<byte[]> templates = new ArrayList<>();

    private StampPrograms(long seed) {
        this.draw = new Draw(seed);
    }

    static Program of(long seed) {
        return new StampPrograms(seed).program(seed, FURTHEST);
    }

    /** Of transactions that read once. */
    static Program single(long seed) {
        return new StampPrograms(seed).program(seed, 1);
    }

    private Program program(long seed, int reads) {
        List<InstructionGroup> groups = new ArrayList<>();
        for (int i = draw.between(0, 3); i > 0; i--) {
            groups.add(InstructionGroup.of(WriteOperation.SET, Variant.DATABASE, draw.anyKey(), draw.value()));
        }
        for (int transactions = draw.between(1, 4); transactions > 0; transactions--) {
            own.clear();
            groups.add(NEW_TRANSACTION);
            if (draw.once(2)) {
                groups.add(InstructionGroup.of(ReadOperation.GET_READ_VERSION));
            }
            for (int i = draw.between(0, 3); i > 0; i--) {
                groups.add(write());
            }
            groups.add(stamp());
            for (int i = draw.between(1, reads); i > 0; i--) {
                groups.add(read());
                if (draw.once(4)) {
                    groups.add(write());
                }
            }
            groups.add(COMMIT);
        }
        return new Program(seed, groups);
    }

    private InstructionGroup write() {
        byte[] key = draw.anyKey();
        own.add(key);
        return switch (draw.between(0, 7)) {
            case 0, 1, 2 -> InstructionGroup.of(WriteOperation.SET, key, draw.value());
            case 3 -> InstructionGroup.of(WriteOperation.CLEAR, key);
            case 4 -> InstructionGroup.of(WriteOperation.CLEAR_RANGE, draw.bounds());
            case 5 ->
                InstructionGroup.of(
                        WriteOperation.ATOMIC_OP,
                        draw.mutation(),
                        ProgramKeys.bytes(ProgramKeys.WORK + draw.of(CALCULATED)),
                        draw.value());
            default -> stamp();
        };
    }

    private InstructionGroup stamp() {
        if (draw.once(2)) {
            String area = draw.of(ProgramKeys.WORK, ProgramKeys.STAMPED_VALUES);
            byte[] key = ProgramKeys.bytes(area + draw.of(STAMPED));
            own.add(key);
            return InstructionGroup.of(WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_VALUE", key, draw.stampable(""));
        }
        if (templates.isEmpty() || draw.once(3)) {
            String prefix = draw.of(ProgramKeys.STAMPED_KEYS, ProgramKeys.STAMPED_VALUES, ProgramKeys.WORK);
            templates.add(draw.stampable(prefix));
        }
        return InstructionGroup.of(
                WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_KEY", draw.of(templates), draw.value());
    }

    private InstructionGroup read() {
        Variant variant = draw.of(Variant.TRANSACTION, Variant.TRANSACTION, Variant.SNAPSHOT);
        byte[] one = base();
        byte[] other = draw.once(2) ? one : base();
        int offset = draw.between(-FURTHEST, FURTHEST);
        int otherOffset = draw.once(3) ? draw.between(-FURTHEST, FURTHEST) : offset + draw.between(-1, 2);
        return InstructionGroup.of(
                ReadOperation.GET_RANGE_SELECTOR,
                variant,
                List.of(one, draw.flag(), (long) offset),
                List.of(other, draw.flag(), (long) otherOffset),
                draw.rangeOptions(),
                ProgramKeys.bytes(ProgramKeys.PREFIX));
    }

    private byte[] base() {
        return own.isEmpty() || draw.once(3) ? draw.anyKey() : draw.of(own);
    }
}
