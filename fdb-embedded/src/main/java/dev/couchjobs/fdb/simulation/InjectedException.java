package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.FDBException;
import java.util.Set;

/** An {@link FDBException} that knows its retry class itself, where the superclass would ask the native client. */
final class InjectedException extends FDBException {
    private static final long serialVersionUID = 1L;
    private static final Set<Integer> NOT_COMMITTED = Set.of(1007, 1009, 1020, 1037);
    private static final int UNKNOWN_RESULT = 1021;

    InjectedException(String error, int code) {
        super("injected: " + error, code);
    }

    @Override
    public Exception retargetClone() {
        InjectedException clone = new InjectedException(String.valueOf(getMessage()), getCode());
        clone.initCause(this);
        return clone;
    }

    @Override
    public boolean isRetryable() {
        return isMaybeCommitted() || isRetryableNotCommitted();
    }

    @Override
    public boolean isMaybeCommitted() {
        return getCode() == UNKNOWN_RESULT;
    }

    @Override
    public boolean isRetryableNotCommitted() {
        return NOT_COMMITTED.contains(getCode());
    }
}
