package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.contract.Fate;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs that wait for each other in any way, and end in any way and order: none starts early, and none is left behind.
 */
@Tag("long")
class DependencyGraphTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final int STEPS = 60;
    /** In which a releaser tells all that is left, whatever the graph. */
    private static final Duration SETTLED = Duration.ofMinutes(1);

    @Test
    void jobsRunWhenAllThatTheyWaitForAreDoneAndNotBefore() {
        Samples.check(50, samples -> {
            long seed = samples.seed();
            int jobs = samples.between(1, 25);

            try (VirtualStage stage = new VirtualStage(seed);
                    Play play = new Play(stage, jobs, seed)) {
                for (int step = 0; step < STEPS; step++) {
                    play.step();
                }
                play.runAll();
            }
        });
    }

    /** One course of things, and what is to be expected of it. */
    private static final class Play implements AutoCloseable {
        private final VirtualStage stage;
        private final Database database;
        private final CouchJobs jobs;
        private final Fate.Hand hand;
        private final Random random;
        private final DependencyModel model = new DependencyModel();
        private final int count;
        private int added;

        Play(VirtualStage stage, int count, long seed) {
            this.stage = stage;
            this.count = count;
            database = stage.database();
            random = new Random(seed);
            jobs = CouchJobs.builder(database).environment(stage.environment()).build();
            hand = new Fate.Hand(jobs, database, stage.environment(), new Subspace());
            stage.await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofDays(1)));
            jobs.maintenance().monitor(MAIL);
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> addNext();
                case 3 -> addAgain();
                case 4 -> remove();
                default -> run();
            }
            stage.time().advance(SETTLED);
            assertThat(rows().contradictions()).isEmpty();
        }

        private void addNext() {
            if (added == count) {
                return;
            }
            String id = "j" + added++;
            NewJob<String> job = NewJob.of(MAIL, "data").id(id);
            for (int i = random.nextInt(4); i > 0 && added > 1; i--) {
                String other = "j" + random.nextInt(added - 1);
                DependencyPolicy policy = List.of(DependencyPolicy.values()).get(random.nextInt(4));
                job = job.after(Dependency.on(MAIL, other).ifUnsuccessful(policy));
            }
            NewJob<String> whole = job;
            if (model.add(id, whole.dependencies())) {
                stage.await(jobs.add(database, whole));
            } else {
                assertThatThrownBy(() -> stage.await(jobs.add(database, whole)))
                        .hasCauseInstanceOf(DependencyNotFoundException.class);
            }
        }

        private void addAgain() {
            anyJob().filter(model::mayBeAddedAgain).ifPresent(id -> {
                model.add(id, List.of());
                stage.await(jobs.add(database, MAIL, id, "data"));
            });
        }

        private void remove() {
            anyJob().ifPresent(id -> {
                boolean there = stage.await(jobs.remove(database, MAIL, id));
                assertThat(there).as("%s was there", id).isEqualTo(model.remove(id));
            });
        }

        private boolean run() {
            Optional<Job<String>> job = stage.await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
            assertThat(job.map(Job::id))
                    .as("what is accepted, of %s", model.ready())
                    .matches(id ->
                            id.map(model.ready()::contains).orElse(model.ready().isEmpty()));
            job.ifPresent(claim -> {
                Fate fate = List.of(Fate.values()).get(random.nextInt(Fate.values().length));
                stage.await(hand.deal(database, claim, fate));
                model.end(claim.id(), fate);
            });
            return job.isPresent();
        }

        void runAll() {
            while (run()) {
                stage.time().advance(SETTLED);
                assertThat(rows().contradictions()).isEmpty();
            }
            assertThat(model.ready()).isEmpty();
            for (int i = 0; i < added; i++) {
                String id = "j" + i;
                Set<String> waitsFor =
                        stage.await(jobs.details().waitsFor(database, MAIL, id, PageRequest.of(100))).items().stream()
                                .map(Dependency::jobId)
                                .collect(Collectors.toSet());
                assertThat(waitsFor).as("what %s waits for", id).isEqualTo(model.waitsFor(id));
            }
        }

        private Optional<String> anyJob() {
            return added == 0 ? Optional.empty() : Optional.of("j" + random.nextInt(added));
        }

        private TypeRows rows() {
            return stage.await(database.readAsync(tx -> TypeRows.read(tx, new Subspace(), MAIL.name())));
        }

        @Override
        public void close() {
            jobs.close();
        }
    }
}
