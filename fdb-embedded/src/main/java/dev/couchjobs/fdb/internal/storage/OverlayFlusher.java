package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import java.nio.file.Path;
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

/** Flushes batches older than the MVCC window from the overlay to the base, asynchronously and in order. */
final class OverlayFlusher {
    /** A smaller flush costs the base more than it saves in memory. */
    private static final long MIN_FLUSH_BYTES = 1 << 20;
    /** The bytes of batches that one {@link Base#apply} receives. */
    private static final long APPLY_BYTES = 8 << 20;
    /** The bytes of flushed batches after which the base is made durable, so that the log can be truncated. */
    private static final long CHECKPOINT_BYTES = 64 << 20;

    private static final long HEAP_BYTES_PER_MUTATION = 128;

    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    /** A batch that is in the log. */
    record LoggedBatch(long version, List<BaseMutation> mutations, int bytes) {
        /** Estimates the heap that the batch takes until it is flushed: the overlay has a node for each mutation. */
        long heapBytes() {
            return bytes + HEAP_BYTES_PER_MUTATION * mutations.size();
        }
    }

    private final Base base;
    private final Executor executor;
    private final EngineFailure engineFailure;
    private final LongSupplier oldestReadable;
    private final long maxBytes;
    private final Queue<LoggedBatch> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    /** The batches in the base that some overlay still contains. */
    private final Queue<LoggedBatch> flushed = new ConcurrentLinkedQueue<>();
    /** The current run, if there is one. */
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> run = new AtomicReference<>();

    private long bytesSinceCheckpoint;
    private volatile long durableVersion;

    /**
     * Creates a flusher. No reader can read a version less than {@code oldestReadable}. Commits wait once the batches
     * that are not flushed take {@code maxBytes}.
     */
    OverlayFlusher(
            Base base, Executor executor, EngineFailure engineFailure, LongSupplier oldestReadable, long maxBytes) {
        this.base = base;
        this.executor = executor;
        this.engineFailure = engineFailure;
        this.oldestReadable = oldestReadable;
        this.maxBytes = maxBytes;
        this.durableVersion = base.version();
    }

    /** Adds a batch to flush. Called by one thread at a time, in the order of versions. */
    void add(LoggedBatch batch) {
        waiting.add(batch);
        waitingBytes.addAndGet(batch.heapBytes());
    }

    /** Returns the overlay without the flushed batches. */
    Overlay trimmed(Overlay overlay) {
        Object owner = new Object();
        Overlay trimmed = overlay;
        for (LoggedBatch batch : flushed) {
            if (batch.version > trimmed.baseVersion()) {
                trimmed = trimmed.without(batch.mutations, batch.version, owner);
            }
        }
        return trimmed;
    }

    /** Forgets the flushed batches that {@code published} lacks: overlays trimmed later lack them as well. */
    void forgetFlushed(Overlay published) {
        LoggedBatch first = flushed.peek();
        while (first != null && first.version <= published.baseVersion()) {
            flushed.remove();
            first = flushed.peek();
        }
    }

    /** The version up to which the base is durable. */
    long durableVersion() {
        return durableVersion;
    }

    /**
     * Starts a flush if enough batches wait and one of them is old enough.
     *
     * @return completes when there is room for another batch; fails if there is none because the flush failed
     */
    CompletableFuture<@Nullable Void> makeRoom() {
        if (waitingBytes.get() < MIN_FLUSH_BYTES || !canFlush()) {
            return DONE;
        }
        CompletableFuture<@Nullable Void> started = started();
        return waitingBytes.get() < maxBytes ? DONE : started;
    }

    /** Flushes all waiting batches once they fill one {@link Base#apply}. Called before there are readers. */
    synchronized void flushIfFull() {
        if (waitingBytes.get() >= APPLY_BYTES) {
            flush(Long.MAX_VALUE);
            // No overlay contains these batches.
            flushed.clear();
        }
    }

    /** Flushes all batches, also those within the MVCC window, and makes them durable. */
    synchronized void flushAll() {
        flush(Long.MAX_VALUE);
        checkpoint();
    }

    /**
     * What a copy of the base is.
     *
     * @param version its version
     * @param missing the synced batches that it may lack, in the order of versions
     */
    record CopiedBase(long version, List<LoggedBatch> missing) {}

    /** Copies the base into a directory on its disk, which it makes. Flushes wait meanwhile, and commits for them. */
    synchronized CopiedBase copyBase(Path directory) {
        base.copyTo(directory);
        return new CopiedBase(base.version(), List.copyOf(waiting));
    }

    private CompletableFuture<@Nullable Void> started() {
        CompletableFuture<@Nullable Void> newRun = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> currentRun = run.compareAndExchange(null, newRun);
        if (currentRun != null) {
            return currentRun;
        }
        try {
            executor.execute(() -> run(newRun));
        } catch (RejectedExecutionException stopped) {
            run(newRun);
        } catch (RuntimeException | Error noThread) {
            run.set(null);
            throw noThread;
        }
        return newRun;
    }

    private void run(CompletableFuture<@Nullable Void> done) {
        Throwable failure = null;
        try {
            flushOldVersions();
        } catch (RuntimeException error) {
            // The batches are still in the log and in the overlay, and the next run retries.
            failure = error;
        } catch (Error error) {
            engineFailure.report(error);
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
        flush(oldestReadable.getAsLong());
        if (bytesSinceCheckpoint >= CHECKPOINT_BYTES) {
            checkpoint();
        }
    }

    private void flush(long before) {
        List<LoggedBatch> batches = nextBatches(before);
        while (!batches.isEmpty()) {
            apply(batches);
            for (LoggedBatch batch : batches) {
                // In this order: if adding fails for lack of memory, the batch is flushed again.
                flushed.add(batch);
                waiting.remove();
                waitingBytes.addAndGet(-batch.heapBytes());
                bytesSinceCheckpoint += batch.bytes;
            }
            batches = nextBatches(before);
        }
    }

    /** Does nothing for batches that an earlier, failed run has applied. */
    private void apply(List<LoggedBatch> batches) {
        long version = batches.get(batches.size() - 1).version;
        if (version > base.version()) {
            List<BaseMutation> mutations = new ArrayList<>();
            batches.forEach(batch -> mutations.addAll(batch.mutations));
            base.apply(version, mutations);
        }
    }

    private List<LoggedBatch> nextBatches(long before) {
        List<LoggedBatch> batches = new ArrayList<>();
        long bytes = 0;
        for (LoggedBatch batch : waiting) {
            if (batch.version >= before || bytes >= APPLY_BYTES) {
                break;
            }
            batches.add(batch);
            bytes += batch.bytes;
        }
        return batches;
    }

    private void checkpoint() {
        durableVersion = base.makeDurable();
        bytesSinceCheckpoint = 0;
    }

    private boolean canFlush() {
        LoggedBatch first = waiting.peek();
        return first != null && first.version < oldestReadable.getAsLong();
    }
}
