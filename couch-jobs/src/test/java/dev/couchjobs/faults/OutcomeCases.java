package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.LONG;
import static dev.couchjobs.faults.FaultFixture.MAIL;
import static dev.couchjobs.faults.VerbCase.reading;
import static dev.couchjobs.faults.VerbCase.shows;
import static dev.couchjobs.faults.VerbCase.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.verbs.FinishTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs that say what came of jobs, and those of jobs that have failed. */
final class OutcomeCases {
    private static final JobType<String, String> TOLD = JobType.of("mail", String.class, String.class);
    private static final String LARGE = "x".repeat(200_000);

    private OutcomeCases() {}

    static List<VerbCase<?, ?>> all() {
        return List.of(
                writing(
                        "finish with a result",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().finishWithResult(s.faulty, TOLD, job, LARGE),
                        (s, job, r) -> {
                            shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                            assertThat(info(s, "a").result()).contains(LARGE);
                        }),
                writing(
                        "a failure that is tried again",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().fail(s.faulty, job, new IllegalStateException("no")),
                        (s, job, state) -> {
                            assertThat(state).isEqualTo(PENDING);
                            shows(s, PENDING, "old", PENDING, RUNNING, PENDING);
                            assertThat(info(s, "a").failures()).isEqualTo(1);
                        }),
                writing(
                        "a failure for good",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().fail(s.faulty, job, new PermanentFailureException("no")),
                        (s, job, state) -> {
                            assertThat(state).isEqualTo(FINISHED);
                            shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                            assertThat(info(s, "a").failures()).isEqualTo(1);
                        }),
                writing(
                        "snooze",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().snooze(s.faulty, job, Duration.ofHours(1)),
                        (s, job, r) -> shows(s, PENDING, "old", PENDING, RUNNING, PENDING)),
                writing(
                        "cancel",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().cancel(s.faulty, job, "not wanted"),
                        (s, job, r) -> shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED)),
                writing("the end of many claims", OutcomeCases::three, OutcomeCases::endAll, (s, requests, results) -> {
                    assertThat(results.stream().map(FinishTransaction.FinishResult::isLost))
                            .containsExactly(false, true, false);
                    shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                    assertThat(s.changesOf("c")).containsExactly(PENDING, RUNNING, FINISHED);
                    assertThat(info(s, "c").failures()).isEqualTo(1);
                }),
                writing(
                        "the sending of a dead letter",
                        OutcomeCases::dead,
                        (s, g) -> s.jobs.deadLetters().retry(s.faulty, MAIL, "a"),
                        (s, g, sent) -> {
                            assertThat(sent).isTrue();
                            wasSentAgain(s);
                        }),
                writing(
                        "the sending of all dead letters",
                        OutcomeCases::dead,
                        (s, g) -> s.jobs.deadLetters().retryAll(MAIL),
                        (s, g, sent) -> {
                            assertThat(sent).isEqualTo(1);
                            wasSentAgain(s);
                        }),
                reading(
                        "result",
                        CreationCases::running,
                        OutcomeCases::resultWhenFinished,
                        (s, job, result) -> assertThat(result).isEqualTo("told")),
                reading(
                        "attempts",
                        OutcomeCases::dead,
                        (s, g) -> s.jobs.details().attempts(s.faulty, MAIL, "a"),
                        (s, g, attempts) -> assertThat(attempts)
                                .extracting(JobAttempt::end)
                                .containsExactly(Optional.of(AttemptEnd.FAILED))));
    }

    static JobInfo<String, String> info(FaultFixture fixture, String jobId) {
        return fixture.await(fixture.others.getJob(fixture.database(), TOLD, jobId))
                .orElseThrow();
    }

    private static List<FinishTransaction.FinishRequest> three(FaultFixture fixture) {
        Disposition done = new Disposition.Succeeded(Optional.empty());
        FinishTransaction.FinishRequest held =
                new FinishTransaction.FinishRequest(CreationCases.running(fixture), done);
        FinishTransaction.FinishRequest lost = new FinishTransaction.FinishRequest(running(fixture, "b"), done);
        FinishTransaction.FinishRequest failed =
                new FinishTransaction.FinishRequest(running(fixture, "c"), new Disposition.Failed("no", false));
        fixture.await(fixture.others.remove(fixture.database(), MAIL, "b"));
        return List.of(held, lost, failed);
    }

    private static Job<String> running(FaultFixture fixture, String jobId) {
        fixture.added(jobId, "old");
        return fixture.claimed(jobId);
    }

    private static CompletableFuture<List<FinishTransaction.FinishResult>> endAll(
            FaultFixture fixture, List<FinishTransaction.FinishRequest> requests) {
        return new FinishTransaction(fixture.worker()).endAll(fixture.faulty, requests, List.of());
    }

    private static String dead(FaultFixture fixture) {
        Job<String> job = CreationCases.running(fixture);
        fixture.await(fixture.others.processor().fail(fixture.database(), job, new PermanentFailureException("no")));
        return "";
    }

    private static void wasSentAgain(FaultFixture fixture) {
        shows(fixture, PENDING, "old", PENDING, RUNNING, FINISHED, PENDING);
        assertThat(info(fixture, "a").failures()).isZero();
        assertThat(fixture.runs()).isEqualTo(1);
    }

    private static CompletableFuture<String> resultWhenFinished(FaultFixture fixture, Job<String> job) {
        CompletableFuture<String> result = fixture.jobs.resultAsync(TOLD, "a", LONG);
        return fixture.others
                .processor()
                .finishWithResult(fixture.database(), TOLD, job, "told")
                .thenCompose(done -> result);
    }
}
