package dev.couchjobs.faults;

import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.InjectedFault;

/** What can go wrong with a step of a transaction. */
public enum StepFault {
    /** {@code not_committed}: another transaction was there first. */
    CONFLICT(FaultPoint.Kind.COMMIT, 1020),
    /** {@code commit_unknown_result}, and the commit did happen. */
    UNKNOWN_BUT_COMMITTED(FaultPoint.Kind.COMMIT, 1021),
    /** {@code commit_unknown_result}, and the commit did not happen. */
    UNKNOWN_AND_NOT_COMMITTED(FaultPoint.Kind.COMMIT, 1021),
    /** {@code transaction_too_old}. */
    TOO_OLD_AT_COMMIT(FaultPoint.Kind.COMMIT, 1007),
    /** {@code future_version}: the storage server lags behind. */
    FUTURE_VERSION_AT_COMMIT(FaultPoint.Kind.COMMIT, 1009),
    /** {@code transaction_too_old}. */
    TOO_OLD_AT_READ(FaultPoint.Kind.READ, 1007),
    /** {@code future_version}: the storage server lags behind. */
    FUTURE_VERSION_AT_READ(FaultPoint.Kind.READ, 1009),
    /** {@code process_behind}: no storage server has come that far. */
    BEHIND_AT_READ(FaultPoint.Kind.READ, 1037),
    /** {@code database_locked}, as a transaction is told with its read version. */
    LOCKED_AT_READ(FaultPoint.Kind.READ, 1038),
    /** {@code database_locked}: the lock came between the read version and the commit. */
    LOCKED_AT_COMMIT(FaultPoint.Kind.COMMIT, 1038),
    /** {@code tag_throttled}. */
    THROTTLED_AT_READ(FaultPoint.Kind.READ, 1213),
    /** {@code client_invalid_operation}, as an example of what is not to be retried. */
    FATAL_AT_COMMIT(FaultPoint.Kind.COMMIT, 2000),
    /** {@code client_invalid_operation}, as an example of what is not to be retried. */
    FATAL_AT_READ(FaultPoint.Kind.READ, 2000),
    /** An exception that has nothing to do with FoundationDB. */
    BUG_AT_READ(FaultPoint.Kind.READ, StepFault.NO_CODE),
    /** A watch that fails with {@code future_version} as soon as it is armed. */
    WATCH_FAILS(FaultPoint.Kind.WATCH, 1009),
    /** A watch that fires as soon as it is armed, although nothing has changed. */
    WATCH_FIRES(FaultPoint.Kind.WATCH, StepFault.NO_CODE);

    private static final int NO_CODE = 0;

    private final FaultPoint.Kind kind;
    private final int code;

    StepFault(FaultPoint.Kind kind, int code) {
        this.kind = kind;
        this.code = code;
    }

    /** Whether it can happen at that step: a commit that writes nothing cannot fail on a cluster. */
    boolean strikes(FaultPoint point) {
        return point.kind() == kind && (kind != FaultPoint.Kind.COMMIT || point.writes());
    }

    /** {@return what happens, and what the caller is told} */
    InjectedFault fault() {
        return switch (this) {
            case UNKNOWN_BUT_COMMITTED -> InjectedFault.errorAfterwards(name(), code);
            case WATCH_FIRES -> InjectedFault.firing(name());
            case BUG_AT_READ -> new InjectedFault(name(), false, () -> new IllegalStateException("injected: " + this));
            default -> InjectedFault.error(name(), code);
        };
    }
}
