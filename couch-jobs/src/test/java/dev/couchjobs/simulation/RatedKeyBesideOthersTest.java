package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs of a rated key start when their tokens are there, although younger jobs of the type use up what it allows. */
class RatedKeyBesideOthersTest {
    /** The job's data says whether it has the key. */
    private static final JobType<Boolean, String> TYPE = JobType.of("simulated", Boolean.class, String.class);

    private static final String KEY = "rated";
    private static final int PER_SECOND = 5;
    private static final int SECONDS = 10;
    private static final int OF_KEY = 200;
    private static final int OTHERS = 2_000;
    private static final int ADDED_AT_ONCE = 500;
    private static final int JOB_MILLIS = 25;

    /** A rule of the whole type. */
    private interface Rule {
        CompletableFuture<?> set(SimulatedProcess process, CouchJobs jobs);
    }

    static Stream<Arguments> scenes() {
        Rule rated = (process, jobs) ->
                jobs.limits().setRate(process.database(), TYPE, Rate.evenly(40, Duration.ofSeconds(1), 1));
        Rule limited = (process, jobs) -> jobs.limits().setTotal(process.database(), TYPE, 3);
        Rule none = (process, jobs) -> CompletableFuture.completedFuture(jobs);
        return Stream.of(1, 4)
                .flatMap(workers -> Stream.of(0, 5)
                        .flatMap(priority -> Stream.of(
                                Arguments.of("a rated type", rated, priority, workers),
                                Arguments.of("a limited type", limited, priority, workers),
                                Arguments.of("a type without rules", none, priority, workers))));
    }

    @ParameterizedTest(name = "{0}, priority {2}, {3} workers")
    @MethodSource("scenes")
    void itsJobsStart(String name, Rule rule, int priority, int workers) {
        try (Simulation simulation = Simulation.builder(7)
                .calm()
                .latency(Duration.ofMillis(1), Duration.ofMillis(3))
                .build()) {
            SimulatedProcess producer = simulation.process("producer");
            CouchJobs jobs = EffectHandler.instance(producer);
            simulation.await(rule.set(producer, jobs));
            simulation.await(jobs.limits()
                    .setRate(
                            producer.database(),
                            TYPE,
                            KEY,
                            Rate.evenly(PER_SECOND, Duration.ofSeconds(1), PER_SECOND)));
            NewJob<Boolean> ofKey = NewJob.of(TYPE, true).limitKey(KEY).priority(priority);
            simulation.await(jobs.addAll(producer.database(), Collections.nCopies(OF_KEY, ofKey)));
            List<NewJob<Boolean>> others = Collections.nCopies(ADDED_AT_ONCE, NewJob.of(TYPE, false));
            for (int added = 0; added < OTHERS; added += ADDED_AT_ONCE) {
                simulation.await(jobs.addAll(producer.database(), others));
            }
            AtomicInteger started = new AtomicInteger();
            for (int i = 0; i < workers; i++) {
                startWorker(simulation.process("worker"), started);
            }

            simulation.advance(Duration.ofSeconds(SECONDS));

            assertThat(started.get()).isBetween(PER_SECOND * SECONDS * 9 / 10, PER_SECOND * (SECONDS + 1));
        }
    }

    private static void startWorker(SimulatedProcess process, AtomicInteger started) {
        Function<Boolean, CompletableFuture<String>> work = isOfKey -> {
            if (isOfKey) {
                started.incrementAndGet();
            }
            CompletableFuture<String> done = new CompletableFuture<>();
            var unused = process.scheduler().schedule(() -> done.complete("done"), JOB_MILLIS, TimeUnit.MILLISECONDS);
            return done;
        };
        var unused = EffectHandler.instance(process)
                .worker()
                .handleAsync(TYPE, job -> work.apply(job.data()))
                .concurrency(10)
                .executor(process.scheduler())
                .start();
    }
}
