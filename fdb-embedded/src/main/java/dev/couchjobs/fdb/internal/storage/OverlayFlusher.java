package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Flushes versions older than the MVCC window from the overlay to the base, asynchronously and in order.
 */
final class OverlayFlusher {
    /** Moving little at a time costs the base more than it saves in memory. */
    private static final long WORTHWHILE_BYTES = 1 << 20;
    /** How much is moved in one step of the base. */
    private static final long STEP_BYTES = 8 << 20;
    /** After this much the base is made durable, so that the log need not be kept. */
    private static final long CHECKPOINT_BYTES = 64 << 20;

    private static final long HEAP_BYTES_PER_CHANGE = 128;

    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    /** A batch that is in the log, and that the base may or may not have yet. */
    record Logged(long version, List<BaseMutation> mutations, int bytes) {
        /** About what it takes while it waits: the overlay has a node for each change. */
        long heapBytes() {
            return bytes + HEAP_BYTES_PER_CHANGE * mutations.size();
        }
    }

    private final Base base;
    private final Executor executor;
    private final LongSupplier oldestReadable;
    private final long mostBytes;
    private final Queue<Logged> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    /** In the base, and still to be taken out of the overlay. */
    private final Queue<Logged> moved = new ConcurrentLinkedQueue<>();
    /** The run under way, if there is one. */
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> run = new AtomicReference<>();

    private long bytesSinceCheckpoint;
    private volatile long durable;

    /**
     * Versions less than {@code oldestReadable} are out of every reader's reach; commits wait when the base lags
     * {@code mostBytes} behind.
     */
    OverlayFlusher(Base base, Executor executor, LongSupplier oldestReadable, long mostBytes) {
        this.base = base;
        this.executor = executor;
        this.oldestReadable = oldestReadable;
        this.mostBytes = mostBytes;
        this.durable = base.version();
    }

    /** For one thread at a time, in the order of versions. */
    void add(Logged logged) {
        waiting.add(logged);
        waitingBytes.addAndGet(logged.heapBytes());
    }

    /** Without what the base has by now. */
    Overlay trimmed(Overlay overlay) {
        Object editor = new Object();
        Overlay trimmed = overlay;
        for (Logged logged : moved) {
            if (logged.version > trimmed.base()) {
                trimmed = trimmed.without(logged.mutations, logged.version, editor);
            }
        }
        return trimmed;
    }

    /** No overlay that knows more of the past than this one will be trimmed any more. */
    void forgetMoved(Overlay published) {
        Logged first = moved.peek();
        while (first != null && first.version <= published.base()) {
            moved.remove();
            first = moved.peek();
        }
    }

    /** What the base holds up to this version no crash can take away from it. */
    long durable() {
        return durable;
    }

    /**
     * Starts a flush if there is something to flush.
     *
     * @return done when there is room for more; failed if there is none because the base does not take it
     */
    CompletableFuture<@Nullable Void> makeRoom() {
        if (waitingBytes.get() < WORTHWHILE_BYTES || nextToMove() == null) {
            return DONE;
        }
        CompletableFuture<@Nullable Void> started = started();
        return waitingBytes.get() < mostBytes ? DONE : started;
    }

    /** Moves all that waits once that fills a step of the base; for a time without readers. */
    synchronized void moveSteps() {
        if (waitingBytes.get() >= STEP_BYTES) {
            move(Long.MAX_VALUE);
            // There is no overlay that they would have to be taken out of.
            moved.clear();
        }
    }

    /** Moves everything, also what readers may still want to read without it, and makes it durable. */
    synchronized void finish() {
        move(Long.MAX_VALUE);
        checkpoint();
    }

    private CompletableFuture<@Nullable Void> started() {
        CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> other = run.compareAndExchange(null, mine);
        if (other != null) {
            return other;
        }
        try {
            executor.execute(() -> run(mine));
        } catch (RejectedExecutionException stopped) {
            run(mine);
        } catch (RuntimeException | Error noThread) {
            run.set(null);
            throw noThread;
        }
        return mine;
    }

    private void run(CompletableFuture<@Nullable Void> done) {
        Throwable failure = null;
        try {
            flushOldVersions();
        } catch (RuntimeException | Error error) {
            // Nothing is lost: it is still in the log and in the overlay, and the next run tries again.
            failure = error;
        }
        run.set(null);
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    private synchronized void flushOldVersions() {
        move(oldestReadable.getAsLong());
        if (bytesSinceCheckpoint >= CHECKPOINT_BYTES) {
            checkpoint();
        }
    }

    private void move(long before) {
        List<Logged> step = nextStep(before);
        while (!step.isEmpty()) {
            apply(step);
            for (Logged logged : step) {
                // In this order: if there is no memory for one of them, it is moved once more.
                moved.add(logged);
                waiting.remove();
                waitingBytes.addAndGet(-logged.heapBytes());
                bytesSinceCheckpoint += logged.bytes;
            }
            step = nextStep(before);
        }
    }

    /** A run that failed in between may have applied what still waits. */
    private void apply(List<Logged> step) {
        long version = step.get(step.size() - 1).version;
        if (version > base.version()) {
            List<BaseMutation> mutations = new ArrayList<>();
            step.forEach(logged -> mutations.addAll(logged.mutations));
            base.apply(version, mutations);
        }
    }

    private List<Logged> nextStep(long before) {
        List<Logged> step = new ArrayList<>();
        long bytes = 0;
        for (Logged logged : waiting) {
            if (logged.version >= before || bytes >= STEP_BYTES) {
                break;
            }
            step.add(logged);
            bytes += logged.bytes;
        }
        return step;
    }

    private void checkpoint() {
        durable = base.flush();
        bytesSinceCheckpoint = 0;
    }

    private @Nullable Logged nextToMove() {
        Logged first = waiting.peek();
        return first != null && first.version < oldestReadable.getAsLong() ? first : null;
    }
}
