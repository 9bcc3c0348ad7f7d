package dev.couchjobs.fdb.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MailboxTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<List<Integer>> batches = new ArrayList<>();
    private final List<String> rejected = new ArrayList<>();

    @Test
    void whatQueuesUpIsOneBatch() {
        Mailbox<Integer> mailbox = mailbox(upTo(10), this::handle);
        mailbox.post(1);
        mailbox.post(2);
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(batches).containsExactly(List.of(1, 2));
    }

    @Test
    void aFullBatchLeavesTheRestToTheNext() {
        Mailbox<Integer> mailbox = mailbox(upTo(2), this::handle);
        List.of(1, 2, 3).forEach(mailbox::post);
        runTasks();
        assertThat(batches).containsExactly(List.of(1, 2), List.of(3));
    }

    @Test
    void aHandlerThatFailsIsNotCalledAgain() {
        Mailbox<Integer> mailbox = mailbox(upTo(1), failing(new IllegalStateException("planted")));
        mailbox.post(1);
        mailbox.post(2);
        runTasks();
        mailbox.post(3);
        runTasks();
        assertThat(batches).containsExactly(List.of(1));
        assertThat(rejected).containsExactly("[1] half", "[2]", "[3]");
        assertThat(mailbox.failure()).hasMessage("planted");
    }

    @Test
    void aBatchThatFailsLaterIsRejected() {
        CompletableFuture<Void> unfinished = new CompletableFuture<>();
        Mailbox<Integer> mailbox = mailbox(upTo(1), batch -> {
            batches.add(batch);
            return unfinished;
        });
        mailbox.post(1);
        mailbox.post(2);
        runTasks();
        unfinished.completeExceptionally(new OutOfMemoryError("planted"));
        runTasks();
        assertThat(batches).containsExactly(List.of(1));
        assertThat(rejected).containsExactly("[1] half", "[2]");
    }

    @Test
    void aBatchThatFailsOnTheCallingThreadIsRejectedOnTheExecutor() {
        Mailbox<Integer> mailbox = mailbox(upTo(10), failing(new StackOverflowError()));
        mailbox.enqueue(1);
        assertThat(catchThrowable(mailbox::runPending)).isInstanceOf(StackOverflowError.class);
        assertThat(rejected).isEmpty();
        runTasks();
        assertThat(rejected).containsExactly("[1] half");
    }

    /** As when the class loader of an application is closed: then neither the handler nor an answer works again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchThatCannotBeAnsweredIsTriedWithPausesAndThenDropped(boolean hasTimers) {
        List<Long> pauses = new ArrayList<>();
        int[] tries = new int[1];
        Mailbox<Integer> mailbox = new Mailbox<>(
                tasks::add,
                nanos -> {
                    if (!hasTimers) {
                        throw new NoClassDefFoundError("planted");
                    }
                    pauses.add(nanos);
                    return CompletableFuture.completedFuture(null);
                },
                upTo(1),
                new Mailbox.Handler<>() {
                    @Override
                    public CompletableFuture<?> handle(List<Integer> batch) {
                        throw new NoClassDefFoundError("planted");
                    }

                    @Override
                    public void reject(List<Integer> batch, boolean isHalfHandled, Throwable cause) {
                        tries[0]++;
                        throw new NoClassDefFoundError("planted");
                    }
                });
        mailbox.post(1);
        runTasks();
        assertThat(tries[0]).isBetween(3, 20);
        assertThat(pauses).isSorted().hasSize(hasTimers ? 7 : 0);
        int before = tries[0];
        mailbox.post(2);
        runTasks();
        assertThat(tries[0]).isBetween(before + 3, before + 20);
        assertThat(tasks).isEmpty();
    }

    @Test
    void aThreadOfTheExecutorSurvivesTheHandler() {
        Mailbox<Integer> mailbox = mailbox(upTo(1), failing(new LinkageError("planted")));
        mailbox.post(1);
        assertThatCode(this::runTasks).doesNotThrowAnyException();
    }

    @Test
    void whenTheExecutorHasStoppedTheSenderGetsItDone() {
        Mailbox<Integer> mailbox = new Mailbox<>(
                task -> {
                    throw new RejectedExecutionException();
                },
                MailboxTest::noPause,
                upTo(10),
                handler(this::handle));
        mailbox.post(1);
        assertThat(batches).containsExactly(List.of(1));
    }

    @Test
    void runPendingHandlesABatchOnTheCallingThread() {
        Mailbox<Integer> mailbox = mailbox(upTo(10), this::handle);
        mailbox.enqueue(1);
        mailbox.runPending();
        assertThat(batches).containsExactly(List.of(1));
        assertThat(tasks).isEmpty();
    }

    @Test
    void runPendingDoesNothingWhileAnotherThreadHandlesABatch() {
        Mailbox<Integer> mailbox = mailbox(upTo(10), this::handle);
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
                MailboxTest::noPause,
                upTo(10),
                handler(this::handle));
        mailbox.post(1);
        mailbox.post(2);
        assertThat(batches).containsExactly(List.of(1), List.of(2));
    }

    @Test
    void aHeavyMessageLeavesTheRestToTheNext() {
        Mailbox.Limit<Integer> byValue = new Mailbox.Limit<>(message -> message, 10);
        Mailbox<Integer> mailbox = mailbox(byValue, this::handle);
        List.of(4, 7, 1).forEach(mailbox::post);
        runTasks();
        assertThat(batches).containsExactly(List.of(4, 7), List.of(1));
    }

    @Test
    void theNextBatchWaitsUntilTheLastIsDoneWith() {
        CompletableFuture<Void> unfinished = new CompletableFuture<>();
        Mailbox<Integer> mailbox = mailbox(upTo(10), batch -> {
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
        Mailbox<Integer> second = mailbox(upTo(10), this::handle);
        Mailbox<Integer> first = new Mailbox<>(
                tasks::add,
                MailboxTest::noPause,
                upTo(10),
                handler(batch -> {
                    batch.forEach(second::enqueue);
                    return null;
                }),
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
        Mailbox<Integer> mailbox = new Mailbox<>(pool, MailboxTest::noPause, upTo(7), handler(batch -> {
            overlaps.addAndGet(inside.getAndIncrement());
            seen.addAll(batch);
            inside.decrementAndGet();
            batch.forEach(message -> handled.countDown());
            return null;
        }));
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

    private static CompletableFuture<?> noPause(long nanos) {
        return CompletableFuture.completedFuture(null);
    }

    private Mailbox<Integer> mailbox(
            Mailbox.Limit<Integer> limit, Function<List<Integer>, @Nullable CompletableFuture<?>> handling) {
        return new Mailbox<>(tasks::add, MailboxTest::noPause, limit, handler(handling));
    }

    private Function<List<Integer>, @Nullable CompletableFuture<?>> failing(Throwable error) {
        return batch -> {
            batches.add(batch);
            if (error instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) error;
        };
    }

    private Mailbox.Handler<Integer> handler(Function<List<Integer>, @Nullable CompletableFuture<?>> handling) {
        return new Mailbox.Handler<>() {
            @Override
            public @Nullable CompletableFuture<?> handle(List<Integer> batch) {
                return handling.apply(batch);
            }

            @Override
            public void reject(List<Integer> batch, boolean isHalfHandled, Throwable cause) {
                rejected.add(batch + (isHalfHandled ? " half" : ""));
            }
        };
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
