package dev.couchjobs.fdb.stackmachine;

import java.util.Optional;

/** Runs programs on two databases. */
record Comparison(TestedDatabase one, TestedDatabase other) {

    private static final int ATTEMPTS = 10;

    /** The difference that this program makes, shrunk; or none. */
    Optional<Difference> run(Program program) {
        return compare(program).map(difference -> {
            Program smaller =
                    Shrinking.of(program, candidate -> compare(candidate).isPresent());
            return compare(smaller).orElse(difference);
        });
    }

    private Optional<Difference> compare(Program program) {
        for (int i = 0; i < ATTEMPTS; i++) {
            ProgramResult here = ProgramResult.of(program, one);
            ProgramResult there = ProgramResult.of(program, other);
            if (here.agreesWith(there)) {
                return Optional.empty();
            }
            if (!here.isDisturbed() && !there.isDisturbed()) {
                return Optional.of(new Difference(program, one.name(), here, other.name(), there));
            }
        }
        throw new AssertionError("None of " + ATTEMPTS + " runs was free of disturbances");
    }
}
