package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.MAIL;
import static dev.couchjobs.faults.VerbCase.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import java.util.List;

/** Verbs that let jobs wait for others, and that end jobs that others wait for. Job "b" waits for job "a". */
final class DependencyCases {
    private DependencyCases() {}

    static List<VerbCase<?, ?>> all() {
        return List.of(
                writing(
                        "add of a job that waits",
                        CreationCases::pending,
                        (s, g) -> s.jobs.add(s.faulty, waiting("b")),
                        (s, g, id) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            assertThat(s.changesOf("a")).containsExactly(PENDING);
                            runsAfterA(s);
                        }),
                writing(
                        "add of a job that waits for one to come",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.add(s.faulty, waitingForSuccess("b")),
                        (s, g, id) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            s.added("a", "late");
                            runsAfterA(s);
                        }),
                writing(
                        "add of a job that another waits for",
                        DependencyCases::expected,
                        (s, g) -> s.jobs.add(s.faulty, NewJob.of(MAIL, "new").id("a")),
                        (s, g, id) -> runsAfterA(s)),
                writing(
                        "add of jobs that wait for each other",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.addAll(
                                s.faulty, List.of(NewJob.of(MAIL, "new").id("a"), waiting("b"))),
                        (s, g, ids) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING);
                            runsAfterA(s);
                        }),
                writing(
                        "finish of a job that another waits for",
                        DependencyCases::running,
                        (s, job) -> s.jobs.processor().finish(s.faulty, job),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                            assertThat(s.state("b")).isEqualTo(FINISHED);
                        }),
                writing(
                        "remove of a job that another waits for",
                        DependencyCases::running,
                        (s, job) -> s.jobs.remove(s.faulty, MAIL, "a"),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, FINISHED);
                            assertThat(s.runs()).isZero();
                        }),
                writing(
                        "remove of a job that waits",
                        DependencyCases::running,
                        (s, job) -> s.jobs.remove(s.faulty, MAIL, "b"),
                        (s, job, r) -> {
                            assertThat(s.changesOf("b")).containsExactly(PENDING, NOT_FOUND);
                            s.await(s.others.processor().finish(s.database(), job));
                            assertThat(s.runs()).isZero();
                        }));
    }

    private static NewJob<String> waiting(String jobId) {
        return NewJob.of(MAIL, "then").id(jobId).after(Dependency.on(MAIL, "a").ifUnsuccessful(DependencyPolicy.FAIL));
    }

    private static NewJob<String> waitingForSuccess(String jobId) {
        return NewJob.of(MAIL, "then")
                .id(jobId)
                .after(Dependency.on(MAIL, "a").ifUnsuccessful(DependencyPolicy.EXPECT));
    }

    private static String expected(FaultFixture fixture) {
        return fixture.await(fixture.others.add(fixture.database(), waitingForSuccess("b")))
                .jobId();
    }

    private static Job<String> running(FaultFixture fixture) {
        Job<String> job = CreationCases.running(fixture);
        fixture.await(fixture.others.add(fixture.database(), waiting("b")));
        return job;
    }

    private static void runsAfterA(FaultFixture fixture) {
        Job<String> a = fixture.claimed("a");
        assertThat(fixture.await(fixture.claim())).isEmpty();
        assertThat(fixture.rows().contradictions()).isEmpty();
        fixture.await(fixture.others.processor().finish(fixture.database(), a));
        Job<String> b = fixture.claimed("b");
        assertThat(fixture.state("b")).isEqualTo(RUNNING);
        fixture.await(fixture.others.processor().finish(fixture.database(), b));
    }
}
