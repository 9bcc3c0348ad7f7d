package dev.couchjobs.fdb.stackmachine;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.model.ModelDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The operations do what the specification says: two wrong stacks are no less equal than two right ones. */
class StackMachineOperationsTest {

    private static final InstructionGroup WAIT = InstructionGroup.of(DataOperation.WAIT_FUTURE);
    private static final InstructionGroup COMMIT =
            InstructionGroup.all(InstructionGroup.of(TransactionOperation.COMMIT), WAIT);

    private final ModelDatabase database = new ModelDatabase();

    @Test
    void itemsKeepTheNumberOfTheInstructionThatMadeThem() {
        assertThat(stack(InstructionGroup.of(DataOperation.DUP, "a"), InstructionGroup.of(DataOperation.SWAP, 1L, "b")))
                .containsExactly("0: \"a\"", "2: \"b\"", "0: \"a\"");
    }

    @Test
    void subAndConcatTakeTheTopItemFirst() {
        assertThat(stack(
                        InstructionGroup.of(DataOperation.SUB, 5L, 3L),
                        InstructionGroup.of(DataOperation.CONCAT, bytes("a"), bytes("b"))))
                .containsExactly("2: 2", "5: 'ab'");
    }

    @Test
    void aReadThatFindsNothingAndAnErrorAreSaidAsTheSpecificationSays() {
        assertThat(stack(
                        InstructionGroup.of(ReadOperation.GET, key("a")),
                        InstructionGroup.of(TransactionOperation.ON_ERROR, 1020L),
                        InstructionGroup.of(TransactionOperation.ON_ERROR, 2000L)))
                .containsExactly(
                        "1: 'RESULT_NOT_PRESENT'", "3: 'RESULT_NOT_PRESENT'", "5: '\\x01ERROR\\x00\\x012000\\x00'");
    }

    @Test
    void aWriteIsSeenByItsTransactionAndByOthersOnceItIsCommitted() {
        assertThat(stack(
                        InstructionGroup.of(WriteOperation.SET, key("a"), bytes("A")),
                        InstructionGroup.of(ReadOperation.GET, key("a")),
                        InstructionGroup.of(ReadOperation.GET, Variant.DATABASE, key("a")),
                        COMMIT,
                        InstructionGroup.of(ReadOperation.GET, Variant.DATABASE, key("a"))))
                .containsExactly("4: 'A'", "6: 'RESULT_NOT_PRESENT'", "7: 'RESULT_NOT_PRESENT'", "10: 'A'");
    }

    @Test
    void transactionsWithNamesConflict() {
        assertThat(stack(
                        InstructionGroup.of(ReadOperation.GET, key("a")),
                        InstructionGroup.of(WriteOperation.SET, key("b"), bytes("B")),
                        InstructionGroup.of(TransactionOperation.USE_TRANSACTION, bytes("other")),
                        InstructionGroup.of(WriteOperation.SET, key("a"), bytes("A")),
                        COMMIT,
                        InstructionGroup.of(TransactionOperation.USE_TRANSACTION, bytes("")),
                        COMMIT))
                .endsWith("14: '\\x01ERROR\\x00\\x011020\\x00'");
    }

    @Test
    void rangesArePackedIntoOneTupleAndLeaveOutWhatIsOutsideThePrefix() {
        InstructionGroup fill = InstructionGroup.all(
                InstructionGroup.of(WriteOperation.SET, key("a"), bytes("A")),
                InstructionGroup.of(WriteOperation.SET, key("b"), bytes("B")));
        List<String> stack = stack(
                fill,
                InstructionGroup.of(ReadOperation.GET_RANGE_STARTS_WITH, key(""), 1L, 1L, -1L),
                InstructionGroup.of(
                        ReadOperation.GET_RANGE_SELECTOR, key("a"), 1L, 0L, key("z"), 0L, 5L, 0L, 0L, -2L, key("b")));

        byte[] rows = Tuple.from(key("b"), bytes("B")).pack();
        assertThat(stack).containsExactly("10: " + Printing.item(rows), "21: " + Printing.item(rows));
    }

    @Test
    void aKeyOutsideThePrefixIsSaidToBeAtItsEdge() {
        assertThat(stack(
                        InstructionGroup.of(ReadOperation.GET_KEY, key("a"), 0L, 0L, key("a")),
                        InstructionGroup.of(ReadOperation.GET_KEY, key("a"), 0L, 1L, key("a"))))
                .containsExactly("4: " + Printing.item(key("a")), "9: " + Printing.item(key("b")));
    }

    @Test
    void theStackIsLoggedByIndexAndInstruction() {
        ProgramResult result = run(
                new InstructionGroup(List.of(Instruction.push("text"))),
                InstructionGroup.of(DataOperation.LOG_STACK, bytes(ProgramKeys.LOG)));

        assertThat(result.stack()).isEmpty();
        assertThat(result.contents()).contains("'" + ProgramKeys.LOG + "\\x14\\x14' = '\\x02text\\x00'");
    }

    @Test
    void tuplesArePackedTakenApartAndSorted() {
        assertThat(stack(
                        InstructionGroup.all(
                                InstructionGroup.of(TupleOperation.TUPLE_PACK, 2L, "a", "b"),
                                InstructionGroup.of(TupleOperation.TUPLE_UNPACK)),
                        InstructionGroup.of(TupleOperation.TUPLE_SORT, 2L)))
                .containsExactly("6: '\\x02a\\x00'", "6: '\\x02b\\x00'");
        assertThat(stack(InstructionGroup.all(
                        InstructionGroup.of(TupleOperation.ENCODE_FLOAT, new byte[] {0x3f, (byte) 0x80, 0, 0}),
                        InstructionGroup.of(DataOperation.DUP),
                        InstructionGroup.of(TupleOperation.DECODE_FLOAT))))
                .containsExactly("1: 1.0", "3: '?\\x80\\x00\\x00'");
    }

    @Test
    void stampsAreNumberedInTheOrderOfCommits() {
        InstructionGroup stamp = InstructionGroup.all(
                InstructionGroup.of(
                        TupleOperation.TUPLE_PACK_WITH_VERSIONSTAMP,
                        bytes(ProgramKeys.STAMPED_KEYS),
                        1L,
                        Versionstamp.incomplete(7)),
                InstructionGroup.of(DataOperation.SWAP, 1L, bytes("value")),
                InstructionGroup.of(WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_KEY"),
                InstructionGroup.of(TransactionOperation.GET_VERSIONSTAMP),
                COMMIT,
                InstructionGroup.of(TransactionOperation.NEW_TRANSACTION));
        ProgramResult result = run(stamp, stamp);

        assertThat(result.stack()).contains("9: '<stamp 0>'", "22: '<stamp 1>'");
        assertThat(result.contents())
                .contains("'" + ProgramKeys.STAMPED_KEYS + "3<stamp 0>\\x00\\x07' = 'value'")
                .contains("'" + ProgramKeys.STAMPED_KEYS + "3<stamp 1>\\x00\\x07' = 'value'");
    }

    @Test
    void aStampIsFoundInALogThatHasBeenReadAndLoggedAgain() {
        byte[] stamp = {0, 0, 1, 0, (byte) 0xff, 2, 3, 4, 0, 0};
        byte[] packed = stamp;
        for (int i = 0; i < 4; i++) {
            packed = Tuple.from(packed).pack();
        }
        assertThat(new RunVersionstamps(List.of(stamp)).text(packed)).contains("<stamp 0>");
    }

    @Test
    void directoriesAreDescribedByPathLayerAndRows() {
        ProgramResult result = run(
                InstructionGroup.of(
                        DirectoryOperation.DIRECTORY_CREATE, Variant.DATABASE, 1L, "d", bytes("layer"), null),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_CHANGE, 1L),
                new InstructionGroup(List.of(Instruction.push(bytes("value")))),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_PACK_KEY, 1L, "key"),
                InstructionGroup.of(WriteOperation.SET, Variant.DATABASE),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_CHANGE, 0L),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_LIST, Variant.DATABASE, 0L),
                InstructionGroup.of(DirectoryOperation.DIRECTORY_OPEN, Variant.DATABASE, 1L, "nowhere", null));

        assertThat(result.contents())
                .endsWith("directory [d] layer 'layer'", "directory [d] row '\\x02key\\x00' = 'value'");
        assertThat(result.stack()).endsWith("15: '\\x02d\\x00'", "19: 'DIRECTORY_ERROR'");
    }

    private List<String> stack(InstructionGroup... groups) {
        return run(groups).stack();
    }

    private ProgramResult run(InstructionGroup... groups) {
        return ProgramResult.of(new Program(0, List.of(groups)), TestedDatabase.of("the model", database));
    }

    private static byte[] bytes(String text) {
        return ProgramKeys.bytes(text);
    }

    private static byte[] key(String name) {
        return ProgramKeys.bytes(ProgramKeys.WORK + name);
    }
}
