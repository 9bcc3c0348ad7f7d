package dev.couchjobs.fdb.stackmachine;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A program for the stack machine.
 *
 * @param seed what it was made from
 * @param selectorsMeetStamps whether selectors are compared that may meet a key that waits for its stamp
 */
record Program(long seed, boolean selectorsMeetStamps, List<Step> steps) {

    Program(long seed, List<Step> steps) {
        this(seed, false, steps);
    }

    Program with(List<Step> fewer) {
        return new Program(seed, selectorsMeetStamps, fewer);
    }

    /**
     * The same with all its selectors compared: for databases in which it makes no difference what was fetched before.
     */
    Program meetingStamps() {
        return new Program(seed, true, steps);
    }

    @Override
    public String toString() {
        return steps.stream().map(Step::toString).collect(Collectors.joining("\n  ", "  ", ""));
    }
}
