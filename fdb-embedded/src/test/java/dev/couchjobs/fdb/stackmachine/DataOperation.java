package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** The specification's data operations. */
enum DataOperation implements Operation {
    /** Its item is part of the instruction: see {@link StackMachine}. */
    PUSH(machine -> {}),
    DUP(machine -> machine.stack().duplicate()),
    EMPTY_STACK(machine -> machine.stack().clear()),
    SWAP(machine -> machine.stack().swap(machine.stack().popInt())),
    POP(machine -> machine.stack().pop()),
    SUB(machine ->
            machine.push(machine.stack().popInteger().subtract(machine.stack().popInteger()))),
    CONCAT(DataOperation::concatenate),
    LOG_STACK(DataOperation::logStack),
    WAIT_FUTURE(machine -> machine.stack().settleTop()),
    /** Not in the specification: everything acknowledged has to outlive this, and no transaction does. */
    REOPEN(StackMachine::reopen);

    private static final int LONGEST_LOGGED = 40_000;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Consumer<StackMachine> action;

    DataOperation(Consumer<StackMachine> action) {
        this.action = action;
    }

    @Override
    public void run(StackMachine machine, Variant variant) {
        action.accept(machine);
    }

    private static void concatenate(StackMachine machine) {
        Object first = machine.stack().pop();
        Object second = machine.stack().pop();
        if (first instanceof String text) {
            machine.push(text + (String) second);
        } else {
            machine.push(ByteArrayUtil.join((byte[]) first, (byte[]) second));
        }
    }

    private static void logStack(StackMachine machine) {
        byte[] prefix = machine.stack().popBytes();
        List<MachineStack.Item> items = machine.stack().settled();
        machine.settle();
        machine.database().run(tr -> {
            for (int i = 0; i < items.size(); i++) {
                byte[] key = ByteArrayUtil.join(
                        prefix, Tuple.from(i, items.get(i).instruction()).pack());
                byte[] value = Tuple.from(items.get(i).value()).pack();
                tr.set(key, value.length <= LONGEST_LOGGED ? value : Arrays.copyOf(value, LONGEST_LOGGED));
            }
            return true;
        });
        machine.stack().clear();
    }
}
