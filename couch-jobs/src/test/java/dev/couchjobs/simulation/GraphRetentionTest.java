package dev.couchjobs.simulation;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Random graphs of jobs that are kept {@link Retention#byGraph}: chains, fans, diamonds, graphs that a later job
 * connects, and dependencies that come late, have ended or are gone, under every way in which a job ends or goes.
 */
class GraphRetentionTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Range GRAPHS = Tuple.from("couch_jobs", "graph").range();
    private static final Range EXPECTED = Tuple.from("couch_jobs", "expected").range();

    private static final List<JobType<String, String>> TYPES = List.of(
            type("at-once", Retention.of(Duration.ZERO)),
            type("soon", Retention.of(Duration.ofSeconds(2))),
            type("archived", Retention.of(Duration.ofSeconds(1)).archived()),
            type("unlike", Retention.of(Duration.ofSeconds(30)).failed(Duration.ZERO)));

    private static JobType<String, String> type(String name, Retention retention) {
        return JobType.of(name, String.class, String.class)
                .activityTimeout(Duration.ofDays(1))
                .retention(retention.byGraph());
    }

    @Test
    void noJobGoesBeforeAllThatAreConnectedWithItHaveEnded() {
        Samples.check(25, samples -> {
            try (VirtualStage stage = new VirtualStage(samples.seed());
                    CouchJobs jobs = CouchJobs.builder(stage.database())
                            .environment(stage.environment())
                            .build()) {
                new Program(stage, jobs, samples).run();
            }
        });
    }

    /** A job that is kept by itself, but waits for one in a graph. */
    @Test
    void aJobOfATypeThatIsNotKeptByGraphIsNotConnected() {
        JobType<String, String> plain = TYPES.get(1).retention(Retention.of(Duration.ofSeconds(2)));
        try (VirtualStage stage = new VirtualStage(1);
                CouchJobs jobs = CouchJobs.builder(stage.database())
                        .environment(stage.environment())
                        .build()) {
            Database database = stage.database();
            jobs.maintenance().monitor(plain);
            stage.await(jobs.add(database, NewJob.of(plain, "data").id("first")));
            Job<String> first = stage.await(jobs.processor().accept(plain)).orElseThrow();
            stage.await(jobs.add(database, NewJob.of(plain, "data").id("second").after(plain, "first")));
            stage.await(jobs.processor().finish(database, first));

            stage.time().advance(Duration.ofMinutes(5));

            assertThat(stage.await(jobs.getJobState(database, plain, "first"))).isEqualTo(JobState.NOT_FOUND);
            assertThat(rows(stage, GRAPHS)).isZero();
        }
    }

    private static int rows(VirtualStage stage, Range range) {
        return stage.await(stage.database().readAsync(tx -> tx.getRange(range).asList()))
                .size();
    }

    /** One client that does all, and what it knows of the jobs. */
    private static final class Program {
        private final VirtualStage stage;
        private final Database database;
        private final CouchJobs jobs;
        private final Samples samples;
        private final Map<String, JobType<String, String>> types = new LinkedHashMap<>();
        private final Map<String, Set<String>> connected = new HashMap<>();
        private final Map<String, Job<String>> running = new LinkedHashMap<>();
        /** The jobs that wait for one that has not been added yet. */
        private final Map<String, Set<String>> expecting = new HashMap<>();

        private final Set<String> ended = new HashSet<>();
        private final Set<String> gone = new HashSet<>();

        Program(VirtualStage stage, CouchJobs jobs, Samples samples) {
            this.stage = stage;
            this.database = stage.database();
            this.jobs = jobs;
            this.samples = samples;
            TYPES.forEach(jobs.maintenance()::monitor);
            jobs.maintenance().archive(TYPES.get(2), page -> CompletableFuture.completedFuture(null));
        }

        void run() {
            int steps = samples.between(5, 40);
            for (int step = 0; step < steps; step++) {
                step(samples.choice(12));
                look();
            }
            while (ended.size() + gone.size() < types.size()) {
                acceptAll();
                List.copyOf(running.keySet()).forEach(this::end);
                List<String> waiting =
                        types.keySet().stream().filter(this::isUnended).toList();
                if (running.isEmpty()) {
                    waiting.forEach(this::cancel);
                }
                look();
            }
            stage.time().advance(Duration.ofMinutes(30));
            look();

            assertThat(running).isEmpty();
            assertThat(gone).as("all are gone at the end").isEqualTo(types.keySet());
            assertThat(rows(stage, GRAPHS)).as("rows of graphs at the end").isZero();
            assertThat(rows(stage, EXPECTED))
                    .as("rows of expected jobs at the end")
                    .isZero();
        }

        private boolean isUnended(String id) {
            return !ended.contains(id) && !gone.contains(id);
        }

        private void step(int kind) {
            switch (kind) {
                case 0, 1, 2, 3 -> add();
                case 4, 5 -> acceptAll();
                case 6, 7 -> any(List.copyOf(running.keySet())).ifPresent(this::end);
                case 8 ->
                    any(List.copyOf(types.keySet()))
                            .filter(id -> !gone.contains(id))
                            .ifPresent(this::remove);
                case 9 ->
                    any(List.copyOf(types.keySet())).filter(this::isUnended).ifPresent(this::cancel);
                case 10 -> any(List.copyOf(ended)).ifPresent(this::addAgain);
                default -> stage.time().advance(Duration.ofSeconds(samples.between(1, 60)));
            }
        }

        private Optional<String> any(List<String> ids) {
            return ids.isEmpty() ? Optional.empty() : Optional.of(ids.get(samples.choice(ids.size())));
        }

        /** The job waits for some that are there, and for some that may come later. */
        private void add() {
            String id = "job-" + types.size();
            JobType<String, String> type = TYPES.get(samples.choice(TYPES.size()));
            List<Dependency> dependencies = new ArrayList<>();
            for (int i = samples.choice(4); i > 0; i--) {
                dependency()
                        .filter(each -> !awaitedBy(each.jobId()).contains(id)) // no circle
                        .ifPresent(dependencies::add);
            }
            if (samples.isOneOf(5)) {
                dependencies.add(later(types.size() + 1 + samples.choice(3)));
            }
            stage.await(jobs.add(
                    database, NewJob.of(typeOf(id, type), "data").id(id).after(dependencies)));
            types.put(id, typeOf(id, type));
            dependencies.forEach(each -> {
                if (types.containsKey(each.jobId())) {
                    connect(id, each.jobId());
                } else {
                    expecting
                            .computeIfAbsent(each.jobId(), key -> new HashSet<>())
                            .add(id);
                }
            });
            look(); // a job that has failed meanwhile does not wait any more
            expecting.getOrDefault(id, Set.of()).forEach(each -> connect(id, each));
        }

        private Optional<Dependency> dependency() {
            return any(List.copyOf(types.keySet()))
                    .filter(id -> !gone.contains(id))
                    .map(id -> {
                        DependencyPolicy policy = samples.of(DependencyPolicy.IGNORE, DependencyPolicy.FAIL);
                        return Dependency.on(type(id), id).ifUnsuccessful(policy);
                    });
        }

        /** A job that may come has its type by its number. */
        private Dependency later(int number) {
            return Dependency.on(TYPES.get(1), "job-" + number).ifUnsuccessful(DependencyPolicy.EXPECT);
        }

        private JobType<String, String> typeOf(String id, JobType<String, String> drawn) {
            return expecting.containsKey(id) ? TYPES.get(1) : drawn;
        }

        private JobType<String, String> type(String id) {
            return requireNonNull(types.get(id));
        }

        private void connect(String first, String second) {
            connected.computeIfAbsent(first, key -> new HashSet<>()).add(second);
            connected.computeIfAbsent(second, key -> new HashSet<>()).add(first);
        }

        private void acceptAll() {
            for (JobType<String, String> type : TYPES) {
                stage.await(jobs.processor().accept(type, 100, AcceptOptions.nonBlocking()))
                        .forEach(job -> running.put(job.id(), job));
            }
        }

        private void end(String id) {
            Job<String> job = requireNonNull(running.remove(id));
            switch (samples.choice(3)) {
                case 0 -> stage.await(jobs.processor().fail(database, job, "wrong", false));
                case 1 -> stage.await(jobs.processor().cancel(database, job, "no more"));
                default -> stage.await(jobs.processor().finish(database, job));
            }
        }

        private void cancel(String id) {
            running.remove(id);
            stage.await(jobs.control().cancel(database, type(id), id, "no more"));
        }

        private void remove(String id) {
            running.remove(id);
            stage.await(jobs.remove(database, type(id), id));
            gone.add(id);
            ended.remove(id);
        }

        private void addAgain(String id) {
            stage.await(jobs.add(database, NewJob.of(type(id), "again").id(id)));
            ended.remove(id);
        }

        /** Nothing is done at the same time, so a job that is gone was not asked to go. */
        private void look() {
            Set<String> goneNow = new HashSet<>();
            types.forEach((id, type) -> {
                if (!gone.contains(id)) {
                    JobState state = stage.await(jobs.getJobState(database, type, id));
                    if (state == JobState.FINISHED) {
                        ended.add(id);
                    } else if (state == JobState.NOT_FOUND) {
                        goneNow.add(id);
                    }
                }
            });
            goneNow.forEach(id -> {
                Set<String> others = connectedWith(id);
                others.removeIf(other -> !types.containsKey(other) || !isUnended(other) || goneNow.contains(other));
                assertThat(others).as("not ended, though %s is gone", id).isEmpty();
            });
            gone.addAll(goneNow);
            ended.removeAll(goneNow);
            expecting.values().forEach(ids -> ids.removeIf(id -> !isUnended(id)));
        }

        private Set<String> awaitedBy(String id) {
            Set<String> found = connectedWith(id);
            expecting.forEach((expected, ids) -> {
                if (!Collections.disjoint(found, ids)) {
                    found.add(expected);
                }
            });
            return found;
        }

        private Set<String> connectedWith(String id) {
            Set<String> found = new HashSet<>(Set.of(id));
            List<String> next = new ArrayList<>(found);
            while (!next.isEmpty()) {
                for (String other : connected.getOrDefault(next.remove(0), Set.of())) {
                    if (found.add(other)) {
                        next.add(other);
                    }
                }
            }
            return found;
        }
    }

    /** The addition waits for the answers about all graphs together. */
    @Test
    void manyGraphsAreUnitedInFewRoundTrips() {
        JobType<String, String> type = TYPES.get(1);
        try (VirtualStage stage = new VirtualStage(1)) {
            MeasuredDatabase measured = new MeasuredDatabase(stage.database(), stage.time());
            try (CouchJobs jobs = CouchJobs.builder(measured.asDatabase())
                    .environment(stage.environment())
                    .build()) {
                List<String> stages = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    stage.await(
                            jobs.add(stage.database(), NewJob.of(type, "data").id("first-" + i)));
                    stage.await(jobs.add(
                            stage.database(),
                            NewJob.of(type, "data").id("second-" + i).after(type, "first-" + i)));
                    stages.add("second-" + i);
                }
                assertThat(rows(stage, GRAPHS)).isEqualTo(2 * stages.size());
                long before = stage.time().nanoTime();

                stage.await(jobs.add(
                        measured.asDatabase(),
                        NewJob.of(type, "data").id("last").after(type, stages.toArray(new String[0]))));

                assertThat(Duration.ofNanos(stage.time().nanoTime() - before)).isLessThan(Duration.ofMillis(20));
                assertThat(rows(stage, GRAPHS)).isEqualTo(2 * stages.size() + 1 + 2 * (stages.size() - 1));
            }
        }
    }

    /** Looks are rare however long the graph runs, and the jobs go soon after its end. */
    @Test
    void aGraphThatRunsForLongCostsFewLooks() {
        JobType<String, String> type = TYPES.get(1);
        try (VirtualStage stage = new VirtualStage(1)) {
            TransactionCountingDatabase counted = new TransactionCountingDatabase(stage.database());
            try (CouchJobs jobs = CouchJobs.builder(counted.asDatabase())
                    .environment(stage.environment())
                    .build()) {
                Database database = stage.database();
                jobs.maintenance().monitor(type);
                stage.await(jobs.add(database, NewJob.of(type, "data").id("first")));
                stage.await(
                        jobs.add(database, NewJob.of(type, "data").id("second").after(type, "first")));
                Job<String> first = stage.await(jobs.processor().accept(type)).orElseThrow();
                stage.await(jobs.processor().finish(database, first));
                Job<String> second = stage.await(jobs.processor().accept(type)).orElseThrow();

                int before = counted.transactions();
                stage.time().advance(LONG);
                assertThat(counted.transactions() - before).isLessThan(200);
                assertThat(stage.await(jobs.getJobState(database, type, "first")))
                        .isEqualTo(JobState.FINISHED);
                stage.await(jobs.processor().finish(database, second));
                stage.time().advance(LONG.plus(Duration.ofMinutes(10)));

                assertThat(stage.await(jobs.getJobState(database, type, "first")))
                        .isEqualTo(JobState.NOT_FOUND);
            }
        }
    }
}
