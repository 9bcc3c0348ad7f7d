package dev.couchjobs.fdb.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MailboxTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<List<Integer>> batches = new ArrayList<>();

    @Test
    void whatQueuesUpIsOneBatch() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(10), this::handle);
        mailbox.post(1);
        mailbox.post(2);
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(batches).containsExactly(List.of(1, 2));
    }

    @Test
    void aFullBatchLeavesTheRestToTheNext() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(2), this::handle);
        List.of(1, 2, 3).forEach(mailbox::post);
        runTasks();
        assertThat(batches).containsExactly(List.of(1, 2), List.of(3));
    }

    @Test
    void aBatchWhoseHandlerFailsComesAgain() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(1), batch -> {
            batches.add(batch);
            if (batches.size() == 1) {
                throw new IllegalStateException("first");
            }
            return null;
        });
        mailbox.post(1);
        mailbox.post(2);
        assertThat(catchThrowable(this::runTasks)).hasMessage("first");
        runTasks();
        assertThat(batches).containsExactly(List.of(1), List.of(1), List.of(2));
    }

    @Test
    void aBatchThatFailsLaterComesAgain() {
        CompletableFuture<Void> unfinished = new CompletableFuture<>();
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(1), batch -> {
            batches.add(batch);
            return batches.size() == 1 ? unfinished : null;
        });
        mailbox.post(1);
        mailbox.post(2);
        runTasks();
        unfinished.completeExceptionally(new OutOfMemoryError("planted"));
        runTasks();
        assertThat(batches).containsExactly(List.of(1), List.of(1), List.of(2));
    }

    @Test
    void aBatchThatFailsOnTheCallingThreadIsRetriedOnTheExecutor() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(10), batch -> {
            batches.add(batch);
            if (batches.size() == 1) {
                throw new StackOverflowError();
            }
            return null;
        });
        mailbox.enqueue(1);
        assertThat(catchThrowable(mailbox::runPending)).isInstanceOf(StackOverflowError.class);
        runTasks();
        assertThat(batches).containsExactly(List.of(1), List.of(1));
    }

    @Test
    void whenTheExecutorHasStoppedTheSenderGetsItDone() {
        Mailbox<Integer> mailbox = new Mailbox<>(
                task -> {
                    throw new RejectedExecutionException();
                },
                upTo(10),
                this::handle);
        mailbox.post(1);
        assertThat(batches).containsExactly(List.of(1));
    }

    @Test
    void runPendingHandlesABatchOnTheCallingThread() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(10), this::handle);
        mailbox.enqueue(1);
        mailbox.runPending();
        assertThat(batches).containsExactly(List.of(1));
        assertThat(tasks).isEmpty();
    }

    @Test
    void runPendingDoesNothingWhileAnotherThreadHandlesABatch() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(10), this::handle);
        mailbox.post(1);
        mailbox.enqueue(2);
        mailbox.runPending();
        assertThat(batches).isEmpty();
        runTasks();
        assertThat(batches).containsExactly(List.of(1, 2));
    }

    @Test
    void whatAnExecutorWithoutThreadsDoesNotTakeIsDoneByTheSender() {
        AtomicBoolean fails = new AtomicBoolean(true);
        Mailbox<Integer> mailbox = new Mailbox<>(
                task -> {
                    if (fails.getAndSet(false)) {
                        throw new OutOfMemoryError("no thread");
                    }
                    task.run();
                },
                upTo(10),
                this::handle);
        mailbox.post(1);
        mailbox.post(2);
        assertThat(batches).containsExactly(List.of(1), List.of(2));
    }

    @Test
    void aHeavyMessageLeavesTheRestToTheNext() {
        Mailbox.Limit<Integer> byValue = new Mailbox.Limit<>(message -> message, 10);
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, byValue, this::handle);
        List.of(4, 7, 1).forEach(mailbox::post);
        runTasks();
        assertThat(batches).containsExactly(List.of(4, 7), List.of(1));
    }

    @Test
    void theNextBatchWaitsUntilTheLastIsDoneWith() {
        CompletableFuture<Void> unfinished = new CompletableFuture<>();
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, upTo(10), batch -> {
            batches.add(batch);
            return unfinished;
        });
        mailbox.post(1);
        runTasks();
        mailbox.post(2);
        mailbox.runPending();
        assertThat(tasks).isEmpty();
        assertThat(batches).containsExactly(List.of(1));
        unfinished.complete(null);
        runTasks();
        assertThat(batches).containsExactly(List.of(1), List.of(2));
    }

    @Test
    void whatComesAfterABatchFindsTheMailboxFree() {
        List<Integer> after = new ArrayList<>();
        Mailbox<Integer> second = new Mailbox<>(tasks::add, upTo(10), this::handle);
        Mailbox<Integer> first = new Mailbox<>(
                tasks::add,
                upTo(10),
                batch -> {
                    batch.forEach(second::enqueue);
                    return null;
                },
                () -> {
                    second.runPending();
                    after.add(batches.size());
                });
        first.enqueue(1);
        first.runPending();
        assertThat(batches).containsExactly(List.of(1));
        assertThat(after).containsExactly(1);
    }

    @Test
    void nothingIsLostAndNothingHandledTwiceByManyThreads() throws InterruptedException {
        int threads = 4;
        int messages = 2_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch handled = new CountDownLatch(threads * messages);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        Queue<Integer> seen = new ConcurrentLinkedQueue<>();
        Mailbox<Integer> mailbox = new Mailbox<>(pool, upTo(7), batch -> {
            overlaps.addAndGet(inside.getAndIncrement());
            seen.addAll(batch);
            inside.decrementAndGet();
            batch.forEach(message -> handled.countDown());
            return null;
        });
        for (int thread = 0; thread < threads; thread++) {
            int base = thread * messages;
            pool.execute(() -> {
                for (int i = 0; i < messages; i++) {
                    mailbox.enqueue(base + i);
                    mailbox.runPending();
                }
            });
        }
        boolean all = handled.await(1, TimeUnit.MINUTES);
        pool.shutdown();
        assertThat(all).isTrue();
        assertThat(overlaps).hasValue(0);
        assertThat(seen).doesNotHaveDuplicates().hasSize(threads * messages);
    }

    private static Mailbox.Limit<Integer> upTo(int messages) {
        return new Mailbox.Limit<>(message -> 1, messages);
    }

    private @Nullable CompletableFuture<?> handle(List<Integer> batch) {
        batches.add(batch);
        return null;
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
