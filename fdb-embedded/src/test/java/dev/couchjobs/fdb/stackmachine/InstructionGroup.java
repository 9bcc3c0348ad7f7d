package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Instructions that make sense only together: the arguments, the operation, the waiting for its result. */
record InstructionGroup(List<Instruction> instructions) {

    /** Pushes the arguments, so that the first is on top, and does the operation. A list stands for its elements. */
    static InstructionGroup of(Operation operation, Variant variant, @Nullable Object... arguments) {
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
        return new InstructionGroup(instructions);
    }

    static InstructionGroup of(Operation operation, @Nullable Object... arguments) {
        return of(operation, Variant.TRANSACTION, arguments);
    }

    static InstructionGroup all(InstructionGroup... groups) {
        return new InstructionGroup(Arrays.stream(groups)
                .flatMap(group -> group.instructions.stream())
                .toList());
    }

    @Override
    public String toString() {
        return instructions.stream().map(Instruction::toString).collect(Collectors.joining("; "));
    }
}
