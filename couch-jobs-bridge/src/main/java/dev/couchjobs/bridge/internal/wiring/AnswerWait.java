package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for answers without which a node can do nothing. While it waits, it logs what is missing every ten seconds.
 *
 * @param node the configuration of the node
 * @param environment times the reminders
 */
record AnswerWait(BridgeConfig node, Environment environment) {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerWait.class);
    private static final Duration REMINDER = Duration.ofSeconds(10);

    /**
     * Waits for an answer of the FoundationDB database. Blocks.
     *
     * @param stop completes to cancel the wait
     * @throws CancellationException if the wait was cancelled
     * @throws CompletionException if the answer is an error
     */
    <T> T database(CompletableFuture<T> answer, CompletableFuture<Void> stop) {
        return answer(
                answer,
                "the database of node " + node.node() + ": " + node.engine().describe(),
                stop);
    }

    /**
     * Waits for an answer. Blocks.
     *
     * @param what names the answer, for people
     * @param stop completes to cancel the wait
     * @throws CancellationException if the wait was cancelled
     * @throws CompletionException if the answer is an error
     */
    <T> T answer(CompletableFuture<T> answer, String what, CompletableFuture<Void> stop) {
        Future<?> reminder = environment
                .scheduler()
                .scheduleWithFixedDelay(
                        () -> LOG.warn("Waiting for {}", what),
                        REMINDER.toSeconds(),
                        REMINDER.toSeconds(),
                        TimeUnit.SECONDS);
        CompletableFuture.anyOf(answer, stop)
                .whenComplete((done, error) -> reminder.cancel(false))
                .join();
        if (!answer.isDone()) {
            throw new CancellationException("it was asked to end while it waited for " + what);
        }
        return answer.join();
    }
}
