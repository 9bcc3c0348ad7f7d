package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.StorageException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The next segment, made ahead of need by an executor. A thread that needs it before the executor came to it makes it
 * on the spot, so an executor that is busy, has stopped, or is the thread that needs it, does no harm. A failure is
 * kept for the one who needs the segment, who tries once more.
 */
final class SegmentPreallocator {
    private final SegmentStore store;
    private final Executor executor;
    private final int largest;
    private @Nullable FutureTask<Segment> task;
    private volatile boolean closed;

    SegmentPreallocator(SegmentStore store, Executor executor, int largest) {
        this.store = store;
        this.executor = executor;
        this.largest = largest;
    }

    /** Takes one that is there already. */
    void keep(Segment segment) {
        task = new FutureTask<>(() -> segment);
        task.run();
    }

    void prepare(long number) {
        if (task == null) {
            task = new FutureTask<>(() -> create(number));
            try {
                executor.execute(task);
            } catch (RejectedExecutionException stopped) {
                // It will be made when it is needed.
            }
        }
    }

    private Segment create(long number) throws IOException {
        if (closed) {
            throw new CancellationException();
        }
        return store.create(number, SegmentLayout.segmentSize(number, largest));
    }

    /**
     * The segment of that number, with room for the given number of bytes at least.
     *
     * @throws StorageException if it cannot be made; nothing has changed then
     */
    Segment take(long number, int atLeast) {
        Segment prepared = prepared();
        task = null;
        if (prepared != null && prepared.size >= atLeast) {
            return prepared;
        }
        if (prepared != null) {
            SegmentStore.close(prepared);
        }
        try {
            return store.create(number, Math.max(SegmentLayout.segmentSize(number, largest), atLeast));
        } catch (IOException e) {
            throw DiskErrors.whileReserving(store.files(), store.directory(), e);
        }
    }

    /** Waits for an executor that is at it. */
    private @Nullable Segment prepared() {
        if (task == null) {
            return null;
        }
        task.run();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    return null;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Leaves it to the next process that opens the log. */
    void close() {
        closed = true;
        if (task != null) {
            Segment prepared = prepared();
            if (prepared != null) {
                SegmentStore.close(prepared);
            }
        }
    }
}
