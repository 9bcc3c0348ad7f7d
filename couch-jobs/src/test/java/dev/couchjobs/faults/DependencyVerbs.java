package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.MAIL;
import static dev.couchjobs.faults.Verb.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import java.util.List;

/** Verbs that let jobs wait for others, and that end jobs that others wait for. Job "b" waits for job "a". */
final class DependencyVerbs {
    private DependencyVerbs() {}

    static List<Verb<?, ?>> all() {
        return List.of(
                writing(
                        "add of a job that waits",
                        CreationVerbs::pending,
                        (s, g) -> s.jobs.add(s.faulty, waiting("b")),
                        (s, g, id) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            assertThat(s.changesOf("a")).containsExactly(PENDING);
                            runsAfterA(s);
                        }),
                writing(
                        "add of a job that waits for one to come",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.add(s.faulty, patient("b")),
                        (s, g, id) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            s.added("a", "late");
                            runsAfterA(s);
                        }),
                writing(
                        "add of a job that another waits for",
                        DependencyVerbs::expected,
                        (s, g) -> s.jobs.add(s.faulty, NewJob.of(MAIL, "new").id("a")),
                        (s, g, id) -> runsAfterA(s)),
                writing(
                        "add of jobs that wait for each other",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.addAll(
                                s.faulty, List.of(NewJob.of(MAIL, "new").id("a"), waiting("b"))),
                        (s, g, ids) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            runsAfterA(s);
                        }),
                writing(
                        "finish of a job that another waits for",
                        DependencyVerbs::running,
                        (s, job) -> s.jobs.finish(s.faulty, job),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                            assertThat(s.state("b")).isEqualTo(FINISHED);
                        }),
                writing(
                        "remove of a job that another waits for",
                        DependencyVerbs::running,
                        (s, job) -> s.jobs.remove(s.faulty, MAIL, "a"),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, FINISHED);
                            assertThat(s.runs()).isZero();
                        }),
                writing(
                        "remove of a job that waits",
                        DependencyVerbs::running,
                        (s, job) -> s.jobs.remove(s.faulty, MAIL, "b"),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, NOT_FOUND);
                            s.await(s.others.finish(s.database(), job));
                            assertThat(s.runs()).isZero();
                        }));
    }

    private static NewJob<String> waiting(String jobId) {
        return NewJob.of(MAIL, "then").id(jobId).after(MAIL, "a");
    }

    private static NewJob<String> patient(String jobId) {
        return NewJob.of(MAIL, "then").id(jobId).after(Dependency.on(MAIL, "a").orElse(DependencyPolicy.WAIT));
    }

    private static String expected(Scene scene) {
        return scene.await(scene.others.add(scene.database(), patient("b")));
    }

    private static Job<String> running(Scene scene) {
        Job<String> job = CreationVerbs.running(scene);
        scene.await(scene.others.add(scene.database(), waiting("b")));
        return job;
    }

    private static void runsAfterA(Scene scene) {
        Job<String> a = scene.claimed("a");
        assertThat(scene.await(scene.claim())).isEmpty();
        assertThat(scene.rows().contradictions()).isEmpty();
        scene.await(scene.others.finish(scene.database(), a));
        Job<String> b = scene.claimed("b");
        assertThat(scene.state("b")).isEqualTo(RUNNING);
        scene.await(scene.others.finish(scene.database(), b));
    }
}
