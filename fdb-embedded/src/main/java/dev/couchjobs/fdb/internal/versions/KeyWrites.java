package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.AtomicMutation;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.StampTemplate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a transaction to one key: an assignment, atomic operations on the existing value, or an assignment
 * followed by operations. Not thread-safe; immutable once the transaction commits.
 */
public final class KeyWrites {
    @SuppressWarnings("ArrayRecordComponent") // an operation is never compared or hashed
    private record Operation(AtomicMutation mutation, byte[] operand) {}

    private boolean assigned;
    private byte @Nullable [] value;
    /** Immutable while it is empty, because most keys have no operation. */
    private List<Operation> operations = List.of();

    /** Assigns a value, or null to clear the key, and drops the writes before. */
    void assign(byte @Nullable [] newValue) {
        assigned = true;
        value = newValue;
        operations = List.of();
    }

    void mutate(AtomicMutation mutation, byte[] operand) {
        if (mutation == AtomicMutation.SET_VERSIONSTAMPED_VALUE) {
            assign(null);
            add(mutation, operand);
        } else if (assigned && operations.isEmpty()) {
            value = mutation.apply(value, operand);
        } else {
            addOrCombine(mutation, operand);
        }
    }

    /** Whether the value does not depend on the stored one. */
    public boolean determined() {
        return assigned;
    }

    /** The value as the transaction itself reads it; a versionstamped value is its operand, unchanged. */
    public byte @Nullable [] valueSeen(byte @Nullable [] existing) {
        byte[] result = assigned ? value : existing;
        for (Operation operation : operations) {
            result = operation.mutation.apply(result, operation.operand);
        }
        return result;
    }

    /** The value to store. */
    byte @Nullable [] valueToStore(byte @Nullable [] existing, CommitStamp stamp) {
        byte[] result = assigned ? value : existing;
        for (Operation operation : operations) {
            result = operation.mutation == AtomicMutation.SET_VERSIONSTAMPED_VALUE
                    ? StampTemplate.fill(operation.operand, stamp)
                    : operation.mutation.apply(result, operation.operand);
        }
        return result;
    }

    /** Bytes of values and operands. */
    long bytes() {
        long bytes = value == null ? 0 : value.length;
        for (Operation operation : operations) {
            bytes += operation.operand.length;
        }
        return bytes;
    }

    private void addOrCombine(AtomicMutation mutation, byte[] operand) {
        if (!operations.isEmpty() && mutation.combines()) {
            Operation last = operations.get(operations.size() - 1);
            if (last.mutation == mutation && last.operand.length == operand.length) {
                byte[] combined = mutation.apply(last.operand, operand);
                if (combined != null) {
                    operations.set(operations.size() - 1, new Operation(mutation, combined));
                    return;
                }
            }
        }
        add(mutation, operand);
    }

    private void add(AtomicMutation mutation, byte[] operand) {
        if (operations.isEmpty()) {
            operations = new ArrayList<>(1);
        }
        operations.add(new Operation(mutation, operand));
    }
}
