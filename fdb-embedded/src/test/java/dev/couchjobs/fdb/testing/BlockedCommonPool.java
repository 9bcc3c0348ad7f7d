package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * A process in which all workers of the common pool are blocked for good: what depends on that pool hangs in it. It is
 * a process of its own because other tests use the pool of this one, and because the number of its workers is fixed
 * when a process starts.
 */
public final class BlockedCommonPool {
    /** With fewer than two workers a Java before 25 makes a thread for each continuation instead. */
    public static final String OPTION = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2";

    private static final int PATIENCE_S = 120;

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
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // RocksDB loads a native library, which JDK 24 and later warn of without that option.
        command.addAll(List.of(OPTION, "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile("couch-jobs-common-pool-", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            boolean hasEnded = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
            return (hasEnded ? process.exitValue() : "hangs") + "\n" + Files.readString(said, StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(said);
        }
    }
}
