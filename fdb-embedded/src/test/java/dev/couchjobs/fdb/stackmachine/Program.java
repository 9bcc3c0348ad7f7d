package dev.couchjobs.fdb.stackmachine;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A program for the stack machine.
 *
 * @param seed what it was made from
 */
record Program(long seed, List<Step> steps) {

    Program with(List<Step> fewer) {
        return new Program(seed, fewer);
    }

    @Override
    public String toString() {
        return steps.stream().map(Step::toString).collect(Collectors.joining("\n  ", "  ", ""));
    }
}
