package dev.couchjobs.fdb.stackmachine;

import org.jspecify.annotations.Nullable;

/**
 * One instruction.
 *
 * @param item what {@code PUSH} pushes
 */
record Instruction(
        Operation operation, Variant variant, @Nullable Object item) {

    static Instruction push(@Nullable Object item) {
        return new Instruction(DataOperation.PUSH, Variant.TRANSACTION, item);
    }

    @Override
    public String toString() {
        String name = operation.name() + variant.ending();
        return operation == DataOperation.PUSH ? name + " " + Printing.item(item) : name;
    }
}
