package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Instructions that make sense only together: the arguments, the operation, the waiting for its result. */
record Step(List<Instruction> instructions) {

    /** Pushes the arguments, so that the first is on top, and does the operation. A list stands for its elements. */
    static Step of(Operation operation, Variant variant, @Nullable Object... arguments) {
        List<Instruction> instructions = new ArrayList<>();
        for (Object argument : arguments) {
            if (argument instanceof List<?> several) {
                several.forEach(element -> instructions.add(Instruction.push(element)));
            } else {
                instructions.add(Instruction.push(argument));
            }
        }
        Collections.reverse(instructions);
        instructions.add(new Instruction(operation, variant, null));
        return new Step(instructions);
    }

    static Step of(Operation operation, @Nullable Object... arguments) {
        return of(operation, Variant.TRANSACTION, arguments);
    }

    static Step all(Step... steps) {
        return new Step(
                Arrays.stream(steps).flatMap(step -> step.instructions.stream()).toList());
    }

    @Override
    public String toString() {
        return instructions.stream().map(Instruction::toString).collect(Collectors.joining("; "));
    }
}
