package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.LONG;
import static dev.couchjobs.faults.Scene.MAIL;
import static dev.couchjobs.faults.Verb.reading;
import static dev.couchjobs.faults.Verb.shows;
import static dev.couchjobs.faults.Verb.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.internal.verbs.Ends;
import dev.couchjobs.internal.verbs.How;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs that say what came of jobs, and those of jobs that have failed. */
final class OutcomeVerbs {
    private static final JobType<String, String> TOLD = JobType.of("mail", String.class, String.class);
    private static final String LARGE = "x".repeat(200_000);

    private OutcomeVerbs() {}

    static List<Verb<?, ?>> all() {
        return List.of(
                writing(
                        "finish with a result",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.finishWithResult(s.faulty, TOLD, job, LARGE),
                        (s, job, r) -> {
                            shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                            assertThat(info(s, "a").result()).contains(LARGE);
                        }),
                writing(
                        "a failure that is tried again",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.fail(s.faulty, job, new IllegalStateException("no")),
                        (s, job, state) -> {
                            assertThat(state).isEqualTo(PENDING);
                            shows(s, PENDING, "old", PENDING, RUNNING, PENDING);
                            assertThat(info(s, "a").failures()).isEqualTo(1);
                        }),
                writing(
                        "a failure for good",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.fail(s.faulty, job, new PermanentFailureException("no")),
                        (s, job, state) -> {
                            assertThat(state).isEqualTo(FINISHED);
                            shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                            assertThat(info(s, "a").failures()).isEqualTo(1);
                        }),
                writing(
                        "snooze",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.snooze(s.faulty, job, Duration.ofHours(1)),
                        (s, job, r) -> shows(s, PENDING, "old", PENDING, RUNNING, PENDING)),
                writing(
                        "cancel",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.cancel(s.faulty, job, "not wanted"),
                        (s, job, r) -> shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED)),
                writing("the end of many claims", OutcomeVerbs::three, OutcomeVerbs::endAll, (s, ends, ended) -> {
                    assertThat(ended.stream().map(Ends.Ended::isLost)).containsExactly(false, true, false);
                    shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                    assertThat(s.changesOf("c")).containsExactly(PENDING, RUNNING, FINISHED);
                    assertThat(info(s, "c").failures()).isEqualTo(1);
                }),
                writing(
                        "the sending of a dead letter",
                        OutcomeVerbs::dead,
                        (s, g) -> s.jobs.retryDeadLetter(s.faulty, MAIL, "a"),
                        (s, g, sent) -> {
                            assertThat(sent).isTrue();
                            wasSentAgain(s);
                        }),
                writing(
                        "the sending of all dead letters",
                        OutcomeVerbs::dead,
                        (s, g) -> s.jobs.retryDeadLetters(MAIL),
                        (s, g, sent) -> {
                            assertThat(sent).isEqualTo(1);
                            wasSentAgain(s);
                        }),
                reading(
                        "result",
                        CreationVerbs::running,
                        OutcomeVerbs::resultWhenFinished,
                        (s, job, result) -> assertThat(result).isEqualTo("told")),
                reading(
                        "attempts",
                        OutcomeVerbs::dead,
                        (s, g) -> s.jobs.attempts(s.faulty, MAIL, "a"),
                        (s, g, attempts) -> assertThat(attempts)
                                .extracting(JobAttempt::end)
                                .containsExactly(Optional.of(AttemptEnd.FAILED))));
    }

    static JobInfo<String, String> info(Scene scene, String jobId) {
        return scene.await(scene.others.getJob(scene.database(), TOLD, jobId)).orElseThrow();
    }

    private static List<Ends.End> three(Scene scene) {
        How done = new How.Succeeded(Optional.empty());
        Ends.End held = new Ends.End(CreationVerbs.running(scene), done);
        Ends.End lost = new Ends.End(running(scene, "b"), done);
        Ends.End failed = new Ends.End(running(scene, "c"), new How.Failed("no", false));
        scene.await(scene.others.remove(scene.database(), MAIL, "b"));
        return List.of(held, lost, failed);
    }

    private static Job<String> running(Scene scene, String jobId) {
        scene.added(jobId, "old");
        return scene.claimed(jobId);
    }

    private static CompletableFuture<List<Ends.Ended>> endAll(Scene scene, List<Ends.End> ends) {
        return new Ends(scene.worker()).endAll(scene.faulty, MAIL, ends, List.of());
    }

    private static String dead(Scene scene) {
        Job<String> job = CreationVerbs.running(scene);
        scene.await(scene.others.fail(scene.database(), job, new PermanentFailureException("no")));
        return "";
    }

    private static void wasSentAgain(Scene scene) {
        shows(scene, PENDING, "old", PENDING, RUNNING, FINISHED, PENDING);
        assertThat(info(scene, "a").failures()).isZero();
        assertThat(scene.runs()).isEqualTo(1);
    }

    private static CompletableFuture<String> resultWhenFinished(Scene scene, Job<String> job) {
        CompletableFuture<String> result = scene.jobs.resultAsync(TOLD, "a", LONG);
        return scene.others
                .finishWithResult(scene.database(), TOLD, job, "told")
                .thenCompose(done -> result);
    }
}
