package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Subscription;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Watches that fire only when the next look at the job finds it as it was before its changes. */
class LateWatchTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Duration LONGER_THAN_ANY_DELAY = Duration.ofSeconds(30);
    private static final Instant TODAY = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant TOMORROW = Instant.parse("2026-01-02T12:00:00Z");

    /** As many ways in which the delays of the watches and the looks follow each other. */
    static Stream<Integer> seeds() {
        return IntStream.range(0, 20).boxed();
    }

    private static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void changesOfARunningJobThatAreTakenBackAreTold(int seed) {
        try (Simulation simulation = Simulation.builder(seed)
                        .calm()
                        .with(Fault.LATE_WATCH, 1)
                        .build();
                CouchJobs subscriber = instance(simulation.process("subscriber"));
                CouchJobs others = instance(simulation.process("others"))) {
            Database database = simulation.database();
            simulation.await(others.types().setTypeTimeout(database, MAIL, TIMEOUT));
            simulation.await(others.add(database, MAIL, "job", "data"));
            Job<String> job = simulation
                    .await(others.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                    .orElseThrow();
            simulation.await(others.processor().resubmit(database, job, TODAY));
            Subscription<String> subscription = simulation.await(subscriber.subscribe(database, MAIL, "job"));
            simulation.advance(LONGER_THAN_ANY_DELAY);

            simulation.await(others.add(database, scheduled(TOMORROW)));
            simulation.await(others.add(database, scheduled(TODAY)));
            simulation.advance(LONGER_THAN_ANY_DELAY);
            simulation.await(others.remove(database, MAIL, "job"));

            assertThat(told(simulation, subscription, 3))
                    .containsExactly(JobState.RUNNING, JobState.RUNNING, JobState.NOT_FOUND);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void changesOfAWaitingJobThatAreTakenBackAreTold(int seed) {
        try (Simulation simulation = Simulation.builder(seed)
                        .calm()
                        .with(Fault.LATE_WATCH, 1)
                        .build();
                CouchJobs subscriber = instance(simulation.process("subscriber"));
                CouchJobs others = instance(simulation.process("others"))) {
            Database database = simulation.database();
            simulation.await(others.types().setTypeTimeout(database, MAIL, TIMEOUT));
            simulation.await(others.add(database, scheduled(TOMORROW)));
            Subscription<String> subscription = simulation.await(subscriber.subscribe(database, MAIL, "job"));
            simulation.advance(LONGER_THAN_ANY_DELAY);

            simulation.await(others.add(database, scheduled(TODAY)));
            simulation.await(others.add(database, scheduled(TOMORROW)));
            simulation.advance(LONGER_THAN_ANY_DELAY);
            simulation.await(others.remove(database, MAIL, "job"));

            assertThat(told(simulation, subscription, 3))
                    .containsExactly(JobState.PENDING, JobState.PENDING, JobState.NOT_FOUND);
        }
    }

    private static NewJob<String> scheduled(Instant time) {
        return NewJob.of(MAIL, "data").id("job").at(time);
    }

    private static List<JobState> told(Simulation simulation, Subscription<String> subscription, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> simulation.await(subscription.awaitEvent(TIMEOUT)))
                .flatMap(Optional::stream)
                .map(JobEvent::state)
                .toList();
    }
}
