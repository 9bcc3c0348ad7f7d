package dev.couchjobs.fdb.stackmachine;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.model.ModelDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The operations do what the specification says: two wrong stacks are no less equal than two right ones. */
class MachineTest {

    private static final Step WAIT = Step.of(DataOperation.WAIT_FUTURE);
    private static final Step COMMIT = Step.all(Step.of(TransactionOperation.COMMIT), WAIT);

    private final ModelDatabase database = new ModelDatabase();

    @Test
    void itemsKeepTheNumberOfTheInstructionThatMadeThem() {
        assertThat(stack(Step.of(DataOperation.DUP, "a"), Step.of(DataOperation.SWAP, 1L, "b")))
                .containsExactly("0: \"a\"", "2: \"b\"", "0: \"a\"");
    }

    @Test
    void subAndConcatTakeTheTopItemFirst() {
        assertThat(stack(Step.of(DataOperation.SUB, 5L, 3L), Step.of(DataOperation.CONCAT, bytes("a"), bytes("b"))))
                .containsExactly("2: 2", "5: 'ab'");
    }

    @Test
    void aReadThatFindsNothingAndAnErrorAreSaidAsTheSpecificationSays() {
        assertThat(stack(
                        Step.of(ReadOperation.GET, key("a")),
                        Step.of(TransactionOperation.ON_ERROR, 1020L),
                        Step.of(TransactionOperation.ON_ERROR, 2000L)))
                .containsExactly(
                        "1: 'RESULT_NOT_PRESENT'", "3: 'RESULT_NOT_PRESENT'", "5: '\\x01ERROR\\x00\\x012000\\x00'");
    }

    @Test
    void aWriteIsSeenByItsTransactionAndByOthersOnceItIsCommitted() {
        assertThat(stack(
                        Step.of(WriteOperation.SET, key("a"), bytes("A")),
                        Step.of(ReadOperation.GET, key("a")),
                        Step.of(ReadOperation.GET, Variant.DATABASE, key("a")),
                        COMMIT,
                        Step.of(ReadOperation.GET, Variant.DATABASE, key("a"))))
                .containsExactly("4: 'A'", "6: 'RESULT_NOT_PRESENT'", "7: 'RESULT_NOT_PRESENT'", "10: 'A'");
    }

    @Test
    void transactionsWithNamesConflict() {
        assertThat(stack(
                        Step.of(ReadOperation.GET, key("a")),
                        Step.of(WriteOperation.SET, key("b"), bytes("B")),
                        Step.of(TransactionOperation.USE_TRANSACTION, bytes("other")),
                        Step.of(WriteOperation.SET, key("a"), bytes("A")),
                        COMMIT,
                        Step.of(TransactionOperation.USE_TRANSACTION, bytes("")),
                        COMMIT))
                .endsWith("14: '\\x01ERROR\\x00\\x011020\\x00'");
    }

    @Test
    void rangesArePackedIntoOneTupleAndLeaveOutWhatIsOutsideThePrefix() {
        Step fill = Step.all(
                Step.of(WriteOperation.SET, key("a"), bytes("A")), Step.of(WriteOperation.SET, key("b"), bytes("B")));
        List<String> stack = stack(
                fill,
                Step.of(ReadOperation.GET_RANGE_STARTS_WITH, key(""), 1L, 1L, -1L),
                Step.of(ReadOperation.GET_RANGE_SELECTOR, key("a"), 1L, 0L, key("z"), 0L, 5L, 0L, 0L, -2L, key("b")));

        byte[] rows = Tuple.from(key("b"), bytes("B")).pack();
        assertThat(stack).containsExactly("10: " + Printing.item(rows), "21: " + Printing.item(rows));
    }

    @Test
    void aKeyOutsideThePrefixIsSaidToBeAtItsEdge() {
        assertThat(stack(
                        Step.of(ReadOperation.GET_KEY, key("a"), 0L, 0L, key("a")),
                        Step.of(ReadOperation.GET_KEY, key("a"), 0L, 1L, key("a"))))
                .containsExactly("4: " + Printing.item(key("a")), "9: " + Printing.item(key("b")));
    }

    @Test
    void theStackIsLoggedByIndexAndInstruction() {
        Outcome outcome =
                run(new Step(List.of(Instruction.push("text"))), Step.of(DataOperation.LOG_STACK, bytes(Keys.LOG)));

        assertThat(outcome.stack()).isEmpty();
        assertThat(outcome.contents()).contains("'" + Keys.LOG + "\\x14\\x14' = '\\x02text\\x00'");
    }

    @Test
    void tuplesArePackedTakenApartAndSorted() {
        assertThat(stack(
                        Step.all(
                                Step.of(TupleOperation.TUPLE_PACK, 2L, "a", "b"), Step.of(TupleOperation.TUPLE_UNPACK)),
                        Step.of(TupleOperation.TUPLE_SORT, 2L)))
                .containsExactly("6: '\\x02a\\x00'", "6: '\\x02b\\x00'");
        assertThat(stack(Step.all(
                        Step.of(TupleOperation.ENCODE_FLOAT, new byte[] {0x3f, (byte) 0x80, 0, 0}),
                        Step.of(DataOperation.DUP),
                        Step.of(TupleOperation.DECODE_FLOAT))))
                .containsExactly("1: 1.0", "3: '?\\x80\\x00\\x00'");
    }

    @Test
    void stampsAreNumberedInTheOrderOfCommits() {
        Step stamp = Step.all(
                Step.of(
                        TupleOperation.TUPLE_PACK_WITH_VERSIONSTAMP,
                        bytes(Keys.STAMPED_KEYS),
                        1L,
                        Versionstamp.incomplete(7)),
                Step.of(DataOperation.SWAP, 1L, bytes("value")),
                Step.of(WriteOperation.ATOMIC_OP, "SET_VERSIONSTAMPED_KEY"),
                Step.of(TransactionOperation.GET_VERSIONSTAMP),
                COMMIT,
                Step.of(TransactionOperation.NEW_TRANSACTION));
        Outcome outcome = run(stamp, stamp);

        assertThat(outcome.stack()).contains("9: '<stamp 0>'", "22: '<stamp 1>'");
        assertThat(outcome.contents())
                .contains("'" + Keys.STAMPED_KEYS + "3<stamp 0>\\x00\\x07' = 'value'")
                .contains("'" + Keys.STAMPED_KEYS + "3<stamp 1>\\x00\\x07' = 'value'");
    }

    @Test
    void aStampIsFoundInALogThatHasBeenReadAndLoggedAgain() {
        byte[] stamp = {0, 0, 1, 0, (byte) 0xff, 2, 3, 4, 0, 0};
        byte[] packed = stamp;
        for (int i = 0; i < 4; i++) {
            packed = Tuple.from(packed).pack();
        }
        assertThat(new Stamps(List.of(stamp)).text(packed)).contains("<stamp 0>");
    }

    @Test
    void directoriesAreDescribedByPathLayerAndRows() {
        Outcome outcome = run(
                Step.of(DirectoryOperation.DIRECTORY_CREATE, Variant.DATABASE, 1L, "d", bytes("layer"), null),
                Step.of(DirectoryOperation.DIRECTORY_CHANGE, 1L),
                new Step(List.of(Instruction.push(bytes("value")))),
                Step.of(DirectoryOperation.DIRECTORY_PACK_KEY, 1L, "key"),
                Step.of(WriteOperation.SET, Variant.DATABASE),
                Step.of(DirectoryOperation.DIRECTORY_CHANGE, 0L),
                Step.of(DirectoryOperation.DIRECTORY_LIST, Variant.DATABASE, 0L),
                Step.of(DirectoryOperation.DIRECTORY_OPEN, Variant.DATABASE, 1L, "nowhere", null));

        assertThat(outcome.contents())
                .endsWith("directory [d] layer 'layer'", "directory [d] row '\\x02key\\x00' = 'value'");
        assertThat(outcome.stack()).endsWith("15: '\\x02d\\x00'", "19: 'DIRECTORY_ERROR'");
    }

    private List<String> stack(Step... steps) {
        return run(steps).stack();
    }

    private Outcome run(Step... steps) {
        return Outcome.of(new Program(0, List.of(steps)), Subject.of("the model", database));
    }

    private static byte[] bytes(String text) {
        return Keys.bytes(text);
    }

    private static byte[] key(String name) {
        return Keys.bytes(Keys.WORK + name);
    }
}
