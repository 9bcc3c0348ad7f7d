package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads that go wrong, or are answered late, as planned. The read itself runs immediately, so that it sees exactly the
 * writes before it. Only its answer is delayed.
 */
final class FaultyReads {
    private final FaultPlan plan;
    private final Supplier<FaultPoint> point;

    FaultyReads(FaultPlan plan, Supplier<FaultPoint> point) {
        this.plan = plan;
        this.point = point;
    }

    <T> CompletableFuture<T> read(Supplier<CompletableFuture<T>> read) {
        FaultPoint reading = point.get();
        InjectedFault fault = plan.injectedFault(reading);
        Optional<RuntimeException> error = fault == null ? Optional.empty() : fault.error();
        CompletableFuture<T> answer = error.isPresent() ? CompletableFuture.failedFuture(error.get()) : read.get();
        CompletableFuture<?> told = plan.after(reading, fault);
        return told.isDone() ? answer : told.thenCompose(now -> answer);
    }

    <T> AsyncIterable<T> range(AsyncIterable<T> delegate) {
        return new AsyncIterable<>() {
            @Override
            public AsyncIterator<T> iterator() {
                return new LateIterator<>(read(() -> begun(delegate.iterator())));
            }

            @Override
            public CompletableFuture<List<T>> asList() {
                return read(delegate::asList);
            }
        };
    }

    private static <T> CompletableFuture<AsyncIterator<T>> begun(AsyncIterator<T> rows) {
        return rows.onHasNext().thenApply(any -> rows);
    }

    /** An iterator that is there once its first rows are. */
    private static final class LateIterator<T> implements AsyncIterator<T> {
        private final CompletableFuture<AsyncIterator<T>> rows;

        LateIterator(CompletableFuture<AsyncIterator<T>> rows) {
            this.rows = rows;
        }

        @Override
        public CompletableFuture<Boolean> onHasNext() {
            return rows.thenCompose(AsyncIterator::onHasNext);
        }

        @Override
        public boolean hasNext() {
            return onHasNext().join();
        }

        @Override
        public T next() {
            @Nullable AsyncIterator<T> begun = rows.getNow(null);
            if (begun == null) {
                throw new NoSuchElementException("The first rows are not there yet");
            }
            return begun.next();
        }

        @Override
        public void remove() {
            rows.join().remove();
        }

        @Override
        public void cancel() {
            var unused = rows.thenAccept(AsyncIterator::cancel);
        }
    }
}
