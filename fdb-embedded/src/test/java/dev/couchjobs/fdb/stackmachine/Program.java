package dev.couchjobs.fdb.stackmachine;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A program for the stack machine.
 *
 * @param seed what it was made from
 * @param selectorsMeetStamps whether selectors are compared that may meet a key that waits for its stamp
 */
record Program(long seed, boolean selectorsMeetStamps, List<InstructionGroup> groups) {

    Program(long seed, List<InstructionGroup> groups) {
        this(seed, false, groups);
    }

    Program with(List<InstructionGroup> fewer) {
        return new Program(seed, selectorsMeetStamps, fewer);
    }

    /**
     * The same with all its selectors compared: for databases in which it makes no difference what was fetched before.
     */
    Program meetingStamps() {
        return new Program(seed, true, groups);
    }

    @Override
    public String toString() {
        return groups.stream().map(InstructionGroup::toString).collect(Collectors.joining("\n  ", "  ", ""));
    }
}
