package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A worker that runs takes up further types. */
class FurtherTypesContract extends JobsContract {
    private static final JobType<WorkData, Integer> SQUARE = JobType.of("index", WorkData.class, Integer.class);
    private static final JobType<WorkData, Void> LETTER = JobType.of("mail", WorkData.class);

    @Test
    void aWorkerRunsWhatIsThereAndWhatComesOfATypeThatItTookUpLater() {
        CountDownLatch letters = new CountDownLatch(2);
        CountDownLatch squares = new CountDownLatch(1);
        await(jobs.add(database, MAIL, "there", new WorkData(1)));
        try (Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    squares.countDown();
                    return 1;
                })
                .start()) {
            worker.process(LETTER, job -> letters.countDown());
            await(jobs.add(database, MAIL, "comes", new WorkData(2)));
            add("j1", 1);
            Futures.await(letters);
            Futures.await(squares);
        }

        assertThat(await(jobs.getJobState(database, MAIL, "there"))).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.getJobState(database, MAIL, "comes"))).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aFurtherTypeMayHaveAnAsynchronousHandler() {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        add("j1", 1);
        try (Worker worker = jobs.worker().process(LETTER, job -> {}).start()) {
            worker.handleAsync(SQUARE, job -> {
                begun.countDown();
                return result;
            });
            Futures.await(begun);
            result.complete(4);
        }

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void allTypesTogetherRunNoMoreJobsAtOnceThanAllowed() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(60);
        Runnable job = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            IntStream.range(0, 1_000).forEach(i -> most.get()); // long enough to meet the others
            running.decrementAndGet();
            all.countDown();
        };
        addMany(30);
        for (int i = 0; i < 30; i++) {
            await(jobs.add(database, MAIL, "m" + i, new WorkData(i)));
        }
        try (Worker worker = jobs.worker()
                .process(LETTER, letter -> job.run())
                .concurrency(3)
                .start()) {
            worker.handle(SQUARE, square -> {
                job.run();
                return 1;
            });
            Futures.await(all);
        }

        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void aFurtherTypeIsGivenBackWhenTheWorkerCloses() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        addMany(5);
        Worker worker = jobs.worker().process(LETTER, job -> {}).concurrency(1).start();
        worker.handle(SQUARE, job -> {
            begun.countDown();
            Futures.await(release);
            return 1;
        });
        Futures.await(begun);

        CompletableFuture<Void> closed = worker.closeAsync();
        release.countDown();
        await(closed);

        assertThat(IntStream.range(0, 5).filter(i -> stateOf("j" + i) == JobState.PENDING))
                .hasSize(4);
    }

    @Test
    void aTypeThatHasAHandlerAndAWorkerThatIsClosedAreRefused() {
        Worker worker = jobs.worker().process(LETTER, job -> {}).start();
        worker.handle(SQUARE, job -> 1);

        assertThatThrownBy(() -> worker.process(LETTER, job -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mail");
        assertThatThrownBy(() -> worker.handleAsync(SQUARE, job -> CompletableFuture.completedFuture(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index");

        worker.close();
        assertThatThrownBy(() -> worker.handle(JobType.of("more", WorkData.class, Integer.class), job -> 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTypeIsTakenUpOrRefusedWhileTheWorkerCloses() {
        for (int i = 0; i < 50; i++) {
            String id = "j" + i;
            Worker worker = jobs.worker().process(LETTER, job -> {}).start();
            CompletableFuture<Void> taken = CompletableFuture.runAsync(() -> worker.handle(SQUARE, job -> 1))
                    .exceptionally(refusal -> {
                        assertThat(refusal).hasCauseInstanceOf(IllegalStateException.class);
                        return null;
                    });
            worker.close();
            await(taken);

            add(id, i);
            CountDownLatch done = new CountDownLatch(1);
            try (Worker next = jobs.worker().process(LETTER, job -> {}).start()) {
                next.handle(SQUARE, job -> {
                    done.countDown();
                    return 1;
                });
                Futures.await(done);
            }
            assertThat(stateOf(id)).isEqualTo(JobState.FINISHED);
        }
    }
}
