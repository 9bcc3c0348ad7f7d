package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;

/**
 * A process in which all workers of the common pool are blocked for good: what depends on that pool hangs in it. It is
 * a process of its own because other tests use the pool of this one, and because the number of its workers is fixed
 * when a process starts.
 */
public final class BlockedCommonPool {
    /** With fewer than two workers a Java before 25 makes a thread for each continuation instead. */
    public static final String OPTION = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2";

    private BlockedCommonPool() {}

    /** Blocks all workers of this process's pool for good; returns when they are. */
    public static void block() {
        CountDownLatch blocked = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
            ForkJoinPool.commonPool().execute(() -> {
                blocked.countDown();
                awaitUninterruptibly(never);
            });
        }
        awaitUninterruptibly(blocked);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs a program that calls {@link #block} first, and kills it if it hangs.
     *
     * @return its exit status and what it has said
     */
    public static String run(Class<?> main, String... arguments) throws IOException, InterruptedException {
        return JavaProgram.run(List.of(OPTION), main, arguments);
    }
}
