package dev.couchjobs.fdb.internal.common;

import com.apple.foundationdb.FDBException;
import java.util.Objects;

/** An {@link FDBException} that knows its retry class itself, where the superclass would ask the native client. */
class EngineException extends FDBException {
    private final FdbError error;

    EngineException(String message, FdbError error) {
        super(message, error.code());
        this.error = error;
    }

    @Override
    public Exception retargetClone() {
        EngineException clone = new EngineException(Objects.requireNonNull(getMessage()), error);
        clone.initCause(this);
        return clone;
    }

    @Override
    public boolean isRetryable() {
        return error.retry() != FdbError.Retry.NEVER;
    }

    @Override
    public boolean isMaybeCommitted() {
        return error.retry() == FdbError.Retry.MAYBE_COMMITTED;
    }

    @Override
    public boolean isRetryableNotCommitted() {
        return error.retry() == FdbError.Retry.NOT_COMMITTED;
    }

    /** Does not say where it was made. */
    static final class Untraced extends EngineException {
        Untraced(String message, FdbError error) {
            super(message, error);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // there is nothing to guard
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
