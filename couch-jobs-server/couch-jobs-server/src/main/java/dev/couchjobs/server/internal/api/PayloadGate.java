package dev.couchjobs.server.internal.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Lets so many reads of payloads run at once as a part of the heap has room for, and others wait for their turn. How
 * large a payload is, is known only when it has been read: as rows, as JSON and as a reply.
 */
public final class PayloadGate {
    /** What the read of the largest payload takes meanwhile: nine times its bytes. */
    private static final long BYTES_OF_A_READ = 9 * 4L * 1024 * 1024;

    private static final int SHARE_OF_HEAP = 3;
    private static final int READS_MIN = 2;
    private static final int READS_MAX = 256;
    static final int WAITING_MAX = 2_000;

    private final Executor executor;
    private final int most;

    @GuardedBy("this") private final Deque<Waiting<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this") private int running;

    /** A read that waits for its turn. */
    private record Waiting<T>(Supplier<CompletableFuture<T>> read, CompletableFuture<T> result) {}

    /** @param executor begins the reads that have waited */
    public PayloadGate(Executor executor) {
        this(executor, (int) Math.max(
                READS_MIN, Math.min(READS_MAX, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / BYTES_OF_A_READ)));
    }

    /** @param most how many reads run at once */
    PayloadGate(Executor executor, int most) {
        this.executor = executor;
        this.most = most;
    }

    /**
     * Reads payloads in turn.
     *
     * @param read also makes of the payloads what the caller wants: what is done with the result has no turn
     * @return what the read says; fails with {@link ProblemException} if too many wait
     */
    public <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Waiting<T> turn = new Waiting<>(read, result);
        synchronized (this) {
            if (running >= most) {
                if (waiting.size() >= WAITING_MAX) {
                    return CompletableFuture.failedFuture(
                            new ProblemException(Problem.of(503, "busy", "Too many payloads are being read.")
                                    .detail("Try again; ask for less at once.")
                                    .header("Retry-After", "1")));
                }
                waiting.add(turn);
                return result;
            }
            running++;
        }
        begin(turn);
        return result;
    }

    private <T> void begin(Waiting<T> turn) {
        CompletableFuture<T> result = turn.result();
        CompletableFuture<T> begun;
        try {
            begun = turn.read().get();
        } catch (Throwable e) { // also an error: others wait for their turn
            begun = CompletableFuture.failedFuture(e);
        }
        var unused = begun.whenComplete((done, error) -> {
            try {
                if (error == null) {
                    result.complete(done); // the caller writes it, and counts it from then on
                } else {
                    result.completeExceptionally(error);
                }
            } finally {
                next();
            }
        });
    }

    private void next() {
        while (true) {
            Waiting<?> next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    running--;
                    return;
                }
            }
            try {
                executor.execute(() -> begin(next));
                return;
            } catch (Throwable e) { // the database closes, or there is no thread: who waits has to be told
                next.result()
                        .completeExceptionally(
                                new ProblemException(Problem.of(503, "busy", "The server cannot begin to read.")
                                        .detail("Try again, here or at another server.")
                                        .header("Retry-After", "1")));
            }
        }
    }
}
