package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The specification's tuple operations. */
enum TupleOperation implements Operation {
    TUPLE_PACK(machine -> machine.push(machine.stack().popTuple().pack())),
    TUPLE_PACK_WITH_VERSIONSTAMP(TupleOperation::packWithVersionstamp),
    TUPLE_UNPACK(machine -> Tuple.fromBytes(machine.stack().popBytes())
            .forEach(item -> machine.push(Tuple.from(item).pack()))),
    TUPLE_RANGE(machine -> {
        Range range = machine.stack().popTuple().range();
        machine.push(range.begin);
        machine.push(range.end);
    }),
    TUPLE_SORT(TupleOperation::sort),
    ENCODE_FLOAT(
            machine -> machine.push(ByteBuffer.wrap(machine.stack().popBytes()).getFloat())),
    ENCODE_DOUBLE(
            machine -> machine.push(ByteBuffer.wrap(machine.stack().popBytes()).getDouble())),
    DECODE_FLOAT(machine -> machine.push(ByteBuffer.allocate(Float.BYTES)
            .putFloat((Float) machine.stack().popPresent())
            .array())),
    DECODE_DOUBLE(machine -> machine.push(ByteBuffer.allocate(Double.BYTES)
            .putDouble((Double) machine.stack().popPresent())
            .array()));

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Consumer<StackMachine> action;

    TupleOperation(Consumer<StackMachine> action) {
        this.action = action;
    }

    @Override
    public void run(StackMachine machine, Variant variant) {
        action.accept(machine);
    }

    private static void packWithVersionstamp(StackMachine machine) {
        byte[] prefix = machine.stack().popBytes();
        StampedTuple stamped = new StampedTuple(machine.stack().popItems());
        switch (stamped.open()) {
            case 0 -> machine.push("ERROR: NONE".getBytes(US_ASCII));
            case 1 -> {
                machine.push("OK".getBytes(US_ASCII));
                machine.push(stamped.operand(prefix));
            }
            default -> machine.push("ERROR: MULTIPLE".getBytes(US_ASCII));
        }
    }

    private static void sort(StackMachine machine) {
        int count = machine.stack().popInt();
        List<Tuple> tuples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tuples.add(Tuple.fromBytes(machine.stack().popBytes()));
        }
        Collections.sort(tuples);
        tuples.forEach(tuple -> machine.push(tuple.pack()));
    }
}
