package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Design section 8: a worker claims jobs and runs them by handlers. */
class WorkerContract extends JobsContract {
    static final JobType<WorkData, Integer> SQUARE = JobType.of("index", WorkData.class, Integer.class);
    private static final JobType<WorkData, Void> LETTER = JobType.of("mail", WorkData.class);

    @Test
    void aWorkerRunsWhatIsThereAndWhatComes() {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        CountDownLatch five = new CountDownLatch(5);
        addMany(3);

        during(
                jobs.worker().handle(SQUARE, job -> {
                    seen.add(job.data().step());
                    five.countDown();
                    return job.data().step() * job.data().step();
                }),
                () -> {
                    add("late-1", 11);
                    add("late-2", 12);
                    Futures.await(five);
                });

        assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 11, 12);
        assertThat(List.of("j0", "j1", "j2", "late-1", "late-2"))
                .allSatisfy(id -> assertThat(stateOf(id)).isEqualTo(JobState.FINISHED));
    }

    @Test
    void manyJobsAreDrainedEachOnce() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1_000);
        addMany(1_000);

        during(
                jobs.worker().handle(SQUARE, job -> {
                    seen.add(job.id());
                    runs.incrementAndGet();
                    all.countDown();
                    return 1;
                }),
                () -> {
                    Futures.await(all);
                });

        assertThat(seen).hasSize(1_000);
        assertThat(runs).hasValue(1_000);
        assertThat(states()).containsOnly(Map.entry(JobState.FINISHED, 1_000L));
    }

    @Test
    void manyHandlersBlockAtOnceOnVirtualThreadsWhereJavaHasThem() {
        int handlers = 500;
        CountDownLatch allRun = new CountDownLatch(handlers);
        Set<Boolean> areVirtual = ConcurrentHashMap.newKeySet();
        addMany(handlers);

        during(
                jobs.worker().concurrency(handlers).handle(SQUARE, job -> {
                    areVirtual.add(Thread.currentThread().toString().startsWith("VirtualThread"));
                    allRun.countDown();
                    allRun.await();
                    return 1;
                }),
                () -> Futures.await(allRun));

        assertThat(areVirtual).containsExactly(Runtime.version().feature() >= 21);
        assertThat(states()).containsOnly(Map.entry(JobState.FINISHED, (long) handlers));
    }

    @Test
    void jobsAddedBetweenThoseThatAreClaimedRunOnceToo() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1_000);
        addMany(500);

        during(
                jobs.worker()
                        .handle(SQUARE, job -> {
                            seen.add(job.id());
                            runs.incrementAndGet();
                            all.countDown();
                            return 1;
                        })
                        .concurrency(100),
                () -> {
                    CouchJobs other = node();
                    List<CompletableFuture<?>> adds = new ArrayList<>();
                    IntStream.range(0, 500)
                            .forEach(i -> adds.add(
                                    other.add(database, INDEX, "j" + i * 7 % 500 + "-between", new WorkData(i))));
                    adds.forEach(JobsContract::await);
                    Futures.await(all);
                });

        assertThat(seen).hasSize(1_000);
        assertThat(runs).hasValue(1_000);
    }

    @Test
    void noMoreJobsRunAtOnceThanAllowed() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(60);
        addMany(60);

        during(
                jobs.worker()
                        .handle(SQUARE, job -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            IntStream.range(0, 1_000).forEach(i -> most.get()); // long enough to meet the others
                            running.decrementAndGet();
                            all.countDown();
                            return 1;
                        })
                        .concurrency(8)
                        .concurrency(SQUARE, 3),
                () -> {
                    Futures.await(all);
                });

        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void oneTypeAtItsLimitDoesNotKeepAnotherWaiting() {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch letters = new CountDownLatch(3);
        addMany(20);
        for (int i = 0; i < 3; i++) {
            await(jobs.add(database, MAIL, "m" + i, new WorkData(i)));
        }

        during(
                jobs.worker()
                        .handle(SQUARE, job -> {
                            Futures.await(release);
                            return 1;
                        })
                        .process(LETTER, job -> letters.countDown())
                        .concurrency(4)
                        .concurrency(SQUARE, 2),
                () -> {
                    Futures.await(letters);
                    release.countDown();
                });
    }

    @Test
    void anAsynchronousHandlerEndsItsJobByItsStage() {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        add("j1", 1);

        during(
                jobs.worker()
                        .handleAsync(SQUARE, job -> {
                            begun.countDown();
                            return result;
                        })
                        .concurrency(1),
                () -> {
                    Futures.await(begun);
                    assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
                    result.complete(4);
                });

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aHandlerThatFailsIsCalledAgainAsItsRetryPolicySays() {
        JobType<WorkData, Integer> twice =
                SQUARE.retry(RetryPolicy.standard().backoff(Duration.ZERO, 1, Duration.ZERO));
        List<Integer> attempts = new ArrayList<>();
        List<Long> claims = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        add("j1", 1);

        during(
                jobs.worker().handle(twice, job -> {
                    attempts.add(job.attempt());
                    claims.add(job.claim());
                    if (job.attempt() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    done.countDown();
                    return 1;
                }),
                () -> {
                    Futures.await(done);
                });

        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(claims).containsExactly(1L, 2L, 3L);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void whatARunWritesCommitsWhileTheJobIsHeld() {
        add("j1", 1);
        CountDownLatch done = new CountDownLatch(1);

        during(
                jobs.worker().handle(SQUARE, job -> {
                    job.run(tx -> {
                        tx.set(key("effect"), new byte[] {1});
                        return true;
                    });
                    done.countDown();
                    return 1;
                }),
                () -> {
                    Futures.await(done);
                });

        assertThat(isWritten("effect")).isTrue();
    }

    @Test
    void whatARunWritesDoesNotCommitOnceTheJobIsGone() {
        add("j1", 1);
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        CompletableFuture<Boolean> halted = new CompletableFuture<>();

        during(
                jobs.worker().handle(SQUARE, job -> {
                    await(jobs.remove(database, INDEX, "j1"));
                    try {
                        job.run(tx -> {
                            tx.set(key("effect"), new byte[] {1});
                            return true;
                        });
                    } catch (JobHaltedException e) {
                        refusal.complete(e);
                        halted.complete(job.isHalted());
                    }
                    return 1;
                }),
                () -> {
                    assertThat(await(refusal)).isNotInstanceOf(JobAlreadyFinishedException.class);
                    assertThat(await(halted)).isTrue();
                });

        assertThat(isWritten("effect")).isFalse();
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aJobEndsTogetherWithItsEffectsAndWithTheJobsThatFollow() {
        add("j1", 1);
        CountDownLatch letter = new CountDownLatch(1);

        during(
                jobs.worker()
                        .handle(SQUARE, job -> {
                            job.finish(tx -> {
                                tx.set(key("effect"), new byte[] {1});
                                jobs.add(tx, MAIL, "follow-up", new WorkData(2)).join();
                                return 4;
                            });
                            assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
                            throw new IllegalStateException("too late to fail");
                        })
                        .process(LETTER, job -> letter.countDown()),
                () -> {
                    Futures.await(letter);
                });

        assertThat(isWritten("effect")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.getJobState(database, MAIL, "follow-up"))).isEqualTo(JobState.FINISHED);
    }

    @Test
    void closingLetsWhatRunsComeToItsEndAndGivesBackWhatHasNotBegun() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        addMany(10);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    begun.countDown();
                    Futures.await(release);
                    return 1;
                })
                .concurrency(1)
                .start();
        Futures.await(begun);

        CompletableFuture<Void> closed = worker.closeAsync();
        release.countDown();
        await(closed);

        assertThat(states()).containsOnly(Map.entry(JobState.FINISHED, 1L), Map.entry(JobState.PENDING, 9L));
        worker.close();
    }

    @Test
    void aHandlerThatDoesNotEndInTimeIsInterruptedAndItsJobGivenBack() {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        add("j1", 1);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.complete(job.isHalted());
                    }
                    return 1;
                })
                .shutdownTimeout(Duration.ofMillis(1))
                .start();
        Futures.await(begun);

        worker.close();

        assertThat(await(interrupted)).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aHandlerMayCloseItsWorker() {
        CompletableFuture<Worker> started = new CompletableFuture<>();
        add("j1", 1);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    await(started).close();
                    return 1;
                })
                .start();
        started.complete(worker);

        worker.close();
        worker.close();

        assertThat(stateOf("j1")).isIn(JobState.FINISHED, JobState.PENDING);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> jobs.worker().start()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> jobs.worker().concurrency(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.worker().concurrency(SQUARE, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.worker().timeLimit(SQUARE, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.worker().shutdownTimeout(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.worker().handle(SQUARE, job -> 1).handle(SQUARE, job -> 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.worker()
                        .handle(SQUARE, job -> 1)
                        .concurrency(LETTER, 1)
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mail");
    }

    /** Does something while a worker runs, and then closes it. */
    private static void during(WorkerBuilder builder, Runnable action) {
        Worker worker = builder.start();
        try {
            action.run();
        } finally {
            worker.close();
        }
    }

    private Map<JobState, Long> states() {
        return all(database, INDEX).stream().collect(Collectors.groupingBy(JobSummary::state, Collectors.counting()));
    }
}
