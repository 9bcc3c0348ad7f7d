package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of the specification's directory operations. The same seed gives the same program.
 *
 * <p>The allocator of prefixes draws them at random, so two open transactions that allocate may conflict or not:
 * whatever creates a directory is committed before anything else happens. Prefixes given by hand begin with a letter,
 * which those of the allocator do not.
 */
final class DirectoryPrograms {

    private static final InstructionGroup WAIT = InstructionGroup.of(DataOperation.WAIT_FUTURE);
    private static final InstructionGroup COMMIT = InstructionGroup.all(
            InstructionGroup.of(TransactionOperation.COMMIT),
            WAIT,
            InstructionGroup.of(TransactionOperation.NEW_TRANSACTION));
    private static final List<String> NAMES = List.of("1", "2", "3");
    private static final List<byte[]> LAYERS =
            List.of(new byte[0], new byte[0], new byte[0], ProgramKeys.bytes("layer"), ProgramKeys.bytes("other"));

    private final Draw draw;
    /** How many entries the machine's list has: a failed creation appends one as well. */
    private int listed = 1;

    private DirectoryPrograms(long seed) {
        this.draw = new Draw(seed);
    }

    static Program of(long seed) {
        return new DirectoryPrograms(seed).program(seed);
    }

    private Program program(long seed) {
        List<InstructionGroup> groups = new ArrayList<>();
        for (int i = draw.between(1, 4); i > 0; i--) {
            groups.add(create());
        }
        for (int i = draw.between(10, 50); i > 0; i--) {
            if (draw.once(2)) {
                int index = draw.once(3) ? 0 : draw.between(0, listed - 1);
                groups.add(InstructionGroup.of(DirectoryOperation.DIRECTORY_CHANGE, (long) index));
            }
            groups.add(group());
        }
        groups.add(COMMIT);
        for (int i = 0; i < listed; i++) {
            groups.add(InstructionGroup.all(
                    InstructionGroup.of(DirectoryOperation.DIRECTORY_CHANGE, (long) i),
                    InstructionGroup.of(DirectoryOperation.DIRECTORY_LOG_DIRECTORY, ProgramKeys.bytes(ProgramKeys.LOG)),
                    COMMIT));
        }
        return new Program(seed, groups);
    }

    private InstructionGroup group() {
        return switch (draw.between(0, 19)) {
            case 0, 1, 2 -> create();
            case 3, 4 -> {
                listed++;
                yield InstructionGroup.of(DirectoryOperation.DIRECTORY_OPEN, readVariant(), path(), layer());
            }
            case 5, 6 -> {
                listed++;
                yield InstructionGroup.of(DirectoryOperation.DIRECTORY_MOVE, writeVariant(), path(), path());
            }
            case 7 -> {
                listed++;
                yield InstructionGroup.of(DirectoryOperation.DIRECTORY_MOVE_TO, writeVariant(), path());
            }
            case 8 -> remove();
            case 9, 10 -> InstructionGroup.of(DirectoryOperation.DIRECTORY_LIST, readVariant(), pathIfAny());
            case 11, 12 -> InstructionGroup.of(DirectoryOperation.DIRECTORY_EXISTS, readVariant(), pathIfAny());
            case 13, 14 -> write();
            case 15 -> subspace();
            case 16 -> layer(path());
            case 17, 18 -> COMMIT;
            default ->
                draw.once(4)
                        ? InstructionGroup.of(DataOperation.REOPEN)
                        : InstructionGroup.of(TransactionOperation.RESET);
        };
    }

    private Variant readVariant() {
        return draw.of(Variant.values());
    }

    private Variant writeVariant() {
        return draw.of(Variant.TRANSACTION, Variant.DATABASE);
    }

    private InstructionGroup create() {
        listed++;
        Variant variant = writeVariant();
        InstructionGroup create = draw.once(3)
                ? InstructionGroup.of(DirectoryOperation.DIRECTORY_CREATE, variant, path(), layer(), manualPrefix())
                : InstructionGroup.of(DirectoryOperation.DIRECTORY_CREATE_OR_OPEN, variant, path(), layer());
        return InstructionGroup.all(COMMIT, create, COMMIT);
    }

    private InstructionGroup remove() {
        DirectoryOperation remove =
                draw.of(DirectoryOperation.DIRECTORY_REMOVE, DirectoryOperation.DIRECTORY_REMOVE_IF_EXISTS);
        return InstructionGroup.all(COMMIT, InstructionGroup.of(remove, writeVariant(), pathIfAny()), COMMIT);
    }

    /** A row in the current directory, under a key that is never seen on the stack. */
    private InstructionGroup write() {
        List<@Nullable Object> key = tuple();
        return InstructionGroup.all(
                new InstructionGroup(List.of(Instruction.push(draw.value()))),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, key),
                InstructionGroup.of(WriteOperation.SET, writeVariant()),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, key),
                InstructionGroup.of(ReadOperation.GET, readVariant()),
                WAIT);
    }

    private InstructionGroup subspace() {
        InstructionGroup strip = InstructionGroup.of(DirectoryOperation.DIRECTORY_STRIP_PREFIX);
        return switch (draw.between(0, 4)) {
            case 0 -> InstructionGroup.all(InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, tuple()), strip);
            case 1 ->
                InstructionGroup.all(
                        InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, tuple()),
                        InstructionGroup.of(DirectoryOperation.DIRECTORY_UNPACK_KEY));
            case 2 ->
                InstructionGroup.all(
                        InstructionGroup.of(DirectoryOperation.DIRECTORY_RANGE, tuple()),
                        strip,
                        InstructionGroup.of(DataOperation.SWAP, 1L),
                        strip);
            case 3 ->
                InstructionGroup.all(
                        InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, tuple()),
                        InstructionGroup.of(DirectoryOperation.DIRECTORY_CONTAINS));
            default -> {
                listed++;
                yield InstructionGroup.of(DirectoryOperation.DIRECTORY_OPEN_SUBSPACE, tuple());
            }
        };
    }

    /** A directory layer of its own, in two subspaces that nothing else uses. */
    private InstructionGroup layer(List<Object> path) {
        listed += 3;
        String area = ProgramKeys.DIRECTORIES + "layer" + draw.between(1, 2);
        return InstructionGroup.all(
                InstructionGroup.of(
                        DirectoryOperation.DIRECTORY_CREATE_SUBSPACE, path, ProgramKeys.bytes(area + "/nodes/")),
                InstructionGroup.of(
                        DirectoryOperation.DIRECTORY_CREATE_SUBSPACE, path, ProgramKeys.bytes(area + "/content/")),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_CREATE_LAYER, listed - 3L, listed - 2L, draw.flag()));
    }

    /** Its length and its names: mostly short. */
    private List<Object> path() {
        List<Object> path = new ArrayList<>();
        int length = Math.min(draw.between(0, 3), draw.between(1, 3));
        path.add((long) length);
        for (int i = 0; i < length; i++) {
            path.add(draw.of(NAMES));
        }
        return path;
    }

    private List<Object> pathIfAny() {
        List<Object> path = new ArrayList<>();
        path.add(draw.flag());
        if (path.get(0).equals(1L)) {
            path.addAll(path());
        }
        return path;
    }

    private List<@Nullable Object> tuple() {
        List<@Nullable Object> elements = draw.elements(3);
        elements.add(0, (long) elements.size());
        return elements;
    }

    private byte[] layer() {
        return draw.once(30) ? ProgramKeys.bytes("partition") : draw.of(LAYERS);
    }

    private byte @Nullable [] manualPrefix() {
        return draw.once(2) ? null : ProgramKeys.bytes(draw.of("a", "b", "ba", "c"));
    }
}
