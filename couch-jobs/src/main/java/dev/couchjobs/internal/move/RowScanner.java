package dev.couchjobs.internal.move;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Goes over all rows page by page: about a megabyte each, and less where that turns out to be too much. */
final class RowScanner {
    private static final long BYTES = 1_000_000;
    private static final int ROWS_FIRST = 100;
    private static final int ROWS_MAX = 10_000;
    /** Too old, timed out, too large. */
    private static final Set<Integer> TOO_MUCH = Set.of(1007, 1031, 2101);

    /** What is done with the rows from a key on. */
    @FunctionalInterface
    interface Visit {
        /** {@return the page that was dealt with} It may have fewer rows than asked for. */
        CompletableFuture<RowPage> of(byte[] from, int rows);
    }

    private final MoveEndpoint endpoint;
    private final Visit visit;
    private byte[] from;
    private int rows = ROWS_FIRST;

    private RowScanner(MoveEndpoint endpoint, Visit visit) {
        this.endpoint = endpoint;
        this.visit = visit;
        this.from = endpoint.begin();
    }

    static CompletableFuture<Void> of(MoveEndpoint endpoint, Executor executor, Visit visit) {
        return GuardedExecutor.whileTrue(new RowScanner(endpoint, visit)::next, executor);
    }

    private CompletableFuture<Boolean> next() {
        return visit.of(from, rows).handle((page, error) -> {
            if (error != null) {
                return halved(error);
            }
            from = page.to();
            long fitting = rows * BYTES / Math.max(1, page.bytes());
            rows = (int) Math.max(1, Math.min(Math.min(2L * rows, ROWS_MAX), fitting));
            return !endpoint.isEnd(from);
        });
    }

    private boolean halved(Throwable error) {
        if (rows > 1 && RootCauses.of(error) instanceof FDBException failure && TOO_MUCH.contains(failure.getCode())) {
            rows /= 2;
            return true;
        }
        throw RootCauses.thrown(error);
    }
}
