package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.FDBException;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.topics.internal.groups.Source.Next;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import org.jspecify.annotations.Nullable;

/**
 * The tries of one transaction in which a handler runs. FoundationDB's errors are the handler's in three cases, so that
 * its messages become dead letters and do not hold up those behind them: the database does not repeat the transaction
 * after what the handler has thrown; it has repeated it often enough; or the handler's writes cannot be committed.
 */
final class HandlerTries {
    /** A handler that reads for more than five seconds fails each time, by an error after which one repeats. */
    private static final int FAILURES_MAX = 10;
    /** {@code transaction_cancelled}: the handler has cancelled it. */
    private static final int CANCELLED = 1025;
    /** From {@code client_invalid_operation} on, errors say that something was asked for that is not possible. */
    private static final int INVALID_FIRST = 2000;

    private static final int INVALID_LAST = 2999;

    @GuardedBy("this") private @Nullable Next given;

    @GuardedBy("this") private @Nullable Throwable thrown;

    @GuardedBy("this") private int failures;

    /** The handler gets some messages. */
    synchronized void begin(Next next) {
        given = next;
        thrown = null;
    }

    /** {@return what the transaction fails with after the handler has thrown something} */
    synchronized Throwable failure(Throwable cause) {
        thrown = cause;
        return cause instanceof FDBException && ++failures < FAILURES_MAX ? cause : handlers(cause);
    }

    /** {@return what an error of the transaction is after its last try} */
    synchronized Throwable afterAll(Throwable error) {
        Throwable cause = RootCauses.of(error);
        boolean isHandlers = cause instanceof FDBException failure
                && given != null
                && (thrown != null || isOfItsWrites(failure.getCode()));
        return isHandlers ? handlers(cause) : cause;
    }

    private static boolean isOfItsWrites(int code) {
        return code == CANCELLED || (code >= INVALID_FIRST && code <= INVALID_LAST);
    }

    @GuardedBy("this") private Throwable handlers(Throwable cause) {
        return given == null ? cause : new HandlerFailure(given, cause);
    }
}
