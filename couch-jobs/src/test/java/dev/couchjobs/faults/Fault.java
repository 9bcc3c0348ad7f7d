package dev.couchjobs.faults;

import dev.couchjobs.fdb.simulation.Mishap;
import dev.couchjobs.fdb.simulation.Step;

/** What can go wrong with a step of a transaction. */
public enum Fault {
    /** {@code not_committed}: another transaction was there first. */
    CONFLICT(Step.Kind.COMMIT, 1020),
    /** {@code commit_unknown_result}, and the commit did happen. */
    UNKNOWN_BUT_COMMITTED(Step.Kind.COMMIT, 1021),
    /** {@code commit_unknown_result}, and the commit did not happen. */
    UNKNOWN_AND_NOT_COMMITTED(Step.Kind.COMMIT, 1021),
    /** {@code transaction_too_old}. */
    TOO_OLD_AT_COMMIT(Step.Kind.COMMIT, 1007),
    /** {@code future_version}: the storage server lags behind. */
    FUTURE_VERSION_AT_COMMIT(Step.Kind.COMMIT, 1009),
    /** {@code transaction_too_old}. */
    TOO_OLD_AT_READ(Step.Kind.READ, 1007),
    /** {@code future_version}: the storage server lags behind. */
    FUTURE_VERSION_AT_READ(Step.Kind.READ, 1009),
    /** {@code process_behind}: no storage server has come that far. */
    BEHIND_AT_READ(Step.Kind.READ, 1037),
    /** {@code database_locked}, as a transaction is told with its read version. */
    LOCKED_AT_READ(Step.Kind.READ, 1038),
    /** {@code database_locked}: the lock came between the read version and the commit. */
    LOCKED_AT_COMMIT(Step.Kind.COMMIT, 1038),
    /** {@code tag_throttled}. */
    THROTTLED_AT_READ(Step.Kind.READ, 1213),
    /** {@code client_invalid_operation}, as an example of what is not to be retried. */
    FATAL_AT_COMMIT(Step.Kind.COMMIT, 2000),
    /** {@code client_invalid_operation}, as an example of what is not to be retried. */
    FATAL_AT_READ(Step.Kind.READ, 2000),
    /** An exception that has nothing to do with FoundationDB. */
    BUG_AT_READ(Step.Kind.READ, Fault.NO_CODE),
    /** A watch that fails with {@code future_version} as soon as it is armed. */
    WATCH_FAILS(Step.Kind.WATCH, 1009),
    /** A watch that fires as soon as it is armed, although nothing has changed. */
    WATCH_FIRES(Step.Kind.WATCH, Fault.NO_CODE);

    private static final int NO_CODE = 0;

    private final Step.Kind kind;
    private final int code;

    Fault(Step.Kind kind, int code) {
        this.kind = kind;
        this.code = code;
    }

    /** Whether it can happen at that step: a commit that writes nothing cannot fail on a cluster. */
    boolean strikes(Step step) {
        return step.kind() == kind && (kind != Step.Kind.COMMIT || step.writes());
    }

    /** {@return what happens, and what the caller is told} */
    Mishap mishap() {
        return switch (this) {
            case UNKNOWN_BUT_COMMITTED -> Mishap.errorAfterwards(name(), code);
            case WATCH_FIRES -> Mishap.firing(name());
            case BUG_AT_READ -> new Mishap(name(), false, () -> new IllegalStateException("injected: " + this));
            default -> Mishap.error(name(), code);
        };
    }
}
