package dev.couchjobs.bench.topics;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The threads of consumers, each of which takes messages again and again until it is closed. */
final class ConsumerThreads implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean isClosed;

    /** Takes messages once, and waits for some time at most. */
    interface Step {
        void run() throws Exception;
    }

    void start(Step step) {
        threads.execute(() -> {
            try {
                while (!isClosed) {
                    step.run();
                }
            } catch (Exception e) {
                if (!isClosed) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    @Override
    public void close() {
        isClosed = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("The consumers' threads do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
