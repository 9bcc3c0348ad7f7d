package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.MAIL;
import static dev.couchjobs.faults.FaultFixture.PAPER;
import static dev.couchjobs.faults.VerbCase.blind;
import static dev.couchjobs.faults.VerbCase.reading;
import static dev.couchjobs.faults.VerbCase.shows;
import static dev.couchjobs.faults.VerbCase.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AddResult;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import dev.couchjobs.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs of those who create jobs and types, and of those who look at them. */
final class CreationCases {
    private static final String LARGE = "x".repeat(200_000);
    private static final Instant PAST = Instant.ofEpochSecond(1_000);

    private CreationCases() {}

    static List<VerbCase<?, ?>> all() {
        return List.of(
                writing("add of a new job", CreationCases::nothing, (s, g) -> add(s, "new"), (s, g, r) -> {
                    assertThat(r.change()).isEqualTo(AddResult.Change.ADDED);
                    shows(s, PENDING, "new", PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing(
                        "add of a new job with large data",
                        CreationCases::nothing,
                        (s, g) -> add(s, LARGE),
                        (s, g, r) -> {
                            shows(s, PENDING, LARGE, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("add of a pending job", CreationCases::pending, (s, g) -> add(s, "new"), (s, g, r) -> {
                    assertThat(r.change()).isEqualTo(AddResult.Change.REPLACED);
                    shows(s, PENDING, "new", PENDING, PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing(
                        "add of a pending job at another time",
                        CreationCases::pending,
                        (s, g) -> s.jobs.add(
                                s.faulty, NewJob.of(MAIL, "old").id("a").at(PAST)),
                        (s, g, r) -> {
                            shows(s, PENDING, "old", PENDING, PENDING);
                            assertThat(s.rows().pending()).containsExactly(new TypeRows.Pending(1_000, "a"));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("add of a running job", CreationCases::running, (s, g) -> add(s, "new"), (s, job, r) -> {
                    assertThat(r.change()).isEqualTo(AddResult.Change.RESUBMITTED);
                    shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                    s.await(s.others.processor().finish(s.database(), job));
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing("add of a finished job", CreationCases::finished, (s, g) -> add(s, "new"), (s, g, r) -> {
                    assertThat(r.change()).isEqualTo(AddResult.Change.RUN_AGAIN);
                    shows(s, PENDING, "new", PENDING, RUNNING, FINISHED, PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                reading("add of a job as it is", CreationCases::pending, (s, g) -> add(s, "old"), (s, g, r) -> {
                    assertThat(r.change()).isEqualTo(AddResult.Change.UNCHANGED);
                    shows(s, PENDING, "old", PENDING);
                }),
                writing(
                        "add of a new job without an id",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.add(s.faulty, MAIL, "new"),
                        (s, g, added) -> {
                            assertThat(s.changesOf(added.jobId())).containsExactly(PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("addAll of new jobs of two types", CreationCases::nothing, (s, g) -> addAll(s), (s, g, ids) -> {
                    shows(s, PENDING, "new", PENDING);
                    assertThat(ids).extracting(AddResult::jobId).hasSize(3).contains("a", "b");
                    assertThat(ids).extracting(AddResult::change).containsOnly(AddResult.Change.ADDED);
                    assertThat(s.runs()).isEqualTo(1);
                    assertThat(s.rows(PAPER).pending()).hasSize(2);
                }),
                writing(
                        "addAll of a running job and one that is as it is",
                        CreationCases::pendingPaperAndRunning,
                        (s, g) -> s.jobs.addAll(
                                s.faulty,
                                List.of(
                                        NewJob.of(PAPER, "new").id("b"),
                                        NewJob.of(MAIL, "new").id("a"))),
                        (s, job, ids) -> {
                            assertThat(ids)
                                    .containsExactly(
                                            new AddResult("b", AddResult.Change.UNCHANGED, AddResult.GivenData.STORED),
                                            new AddResult(
                                                    "a", AddResult.Change.RESUBMITTED, AddResult.GivenData.DISCARDED));
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            assertThat(s.rows(PAPER).changesOf("b")).containsExactly(PENDING);
                            s.await(s.others.processor().finish(s.database(), job));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("remove", CreationCases::pending, (s, g) -> remove(s), (s, g, found) -> {
                    assertThat(found).isTrue();
                    shows(s, NOT_FOUND, null, PENDING, NOT_FOUND);
                }),
                reading("remove of a missing job", CreationCases::nothing, (s, g) -> remove(s), (s, g, found) -> {
                    assertThat(found).isFalse();
                    shows(s, NOT_FOUND, null);
                }),
                writing(
                        "cancel of a pending job",
                        CreationCases::pending,
                        (s, g) -> s.jobs.control().cancel(s.faulty, MAIL, "a", "no reason"),
                        (s, g, found) -> {
                            assertThat(found).isTrue();
                            shows(s, FINISHED, "old", PENDING, FINISHED);
                        }),
                writing(
                        "cancel of a running job",
                        CreationCases::running,
                        (s, g) -> s.jobs.control().cancel(s.faulty, MAIL, "a", "no reason"),
                        (s, job, found) -> {
                            assertThat(found).isTrue();
                            shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED);
                        }),
                reading(
                        "cancel of a finished job",
                        CreationCases::finished,
                        (s, g) -> s.jobs.control().cancel(s.faulty, MAIL, "a", "no reason"),
                        (s, g, found) -> assertThat(found).isFalse()),
                writing(
                        "cancel of all jobs",
                        CreationCases::pending,
                        (s, g) -> s.jobs.control().select(MAIL, job -> true).cancel("no reason"),
                        (s, g, done) -> {
                            assertThat(done.applied()).isEqualTo(1);
                            shows(s, FINISHED, "old", PENDING, FINISHED);
                        }),
                writing(
                        "reprioritise",
                        CreationCases::pending,
                        (s, g) -> s.jobs.control().reprioritise(s.faulty, MAIL, "a", 3),
                        (s, g, found) -> {
                            assertThat(found).isTrue();
                            assertThat(s.rows().changesOf("a")).containsExactly(PENDING, PENDING);
                        }),
                reading(
                        "runNow of a job that may run",
                        CreationCases::pending,
                        (s, g) -> s.jobs.control().runNow(s.faulty, MAIL, "a"),
                        (s, g, found) -> {
                            assertThat(found).isTrue();
                            shows(s, PENDING, "old", PENDING);
                        }),
                blind(
                        "pause",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().pause(s.faulty, MAIL, "no reason"),
                        (s, g, r) -> assertThat(s.await(s.others.types().getPause(s.database(), MAIL)))
                                .isPresent()),
                blind(
                        "pause of a limit key",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.limits().pause(s.faulty, MAIL, "key"),
                        (s, g, r) -> assertThat(s.await(s.others.limits().get(s.database(), MAIL, "key"))
                                        .isPaused())
                                .isTrue()),
                blind(
                        "rate of a limit key",
                        CreationCases::nothing,
                        (s, g) ->
                                s.jobs.limits().setRate(s.faulty, MAIL, "key", Rate.perWindow(1, Duration.ofHours(1))),
                        (s, g, r) -> assertThat(s.await(s.others.limits().get(s.database(), MAIL, "key"))
                                        .rate())
                                .isPresent()),
                blind(
                        "setTypeTimeout",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().setTypeTimeout(s.faulty, MAIL, Duration.ofSeconds(7)),
                        (s, g, r) -> assertThat(s.await(s.others.types().getTypeTimeout(s.database(), MAIL)))
                                .contains(Duration.ofSeconds(7))),
                blind(
                        "clearTypeTimeout",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().clearTypeTimeout(s.faulty, MAIL),
                        (s, g, r) -> assertThat(s.await(s.others.types().getTypeTimeout(s.database(), MAIL)))
                                .isEmpty()),
                reading(
                        "getTypeTimeout",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().getTypeTimeout(s.faulty, MAIL),
                        (s, g, timeout) -> assertThat(timeout).isEqualTo(Optional.of(Duration.ofSeconds(30)))),
                blind(
                        "setTypeRetention",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().setTypeRetention(s.faulty, MAIL, Retention.forever()),
                        (s, g, r) -> assertThat(s.await(s.others.types().getTypeRetention(s.database(), MAIL)))
                                .contains(Retention.forever())),
                blind(
                        "clearTypeRetention",
                        CreationCases::withRetention,
                        (s, g) -> s.jobs.types().clearTypeRetention(s.faulty, MAIL),
                        (s, g, r) -> assertThat(s.await(s.others.types().getTypeRetention(s.database(), MAIL)))
                                .isEmpty()),
                reading(
                        "getTypeRetention",
                        CreationCases::withRetention,
                        (s, g) -> s.jobs.types().getTypeRetention(s.faulty, MAIL),
                        (s, g, retention) -> assertThat(retention).isEqualTo(Optional.of(Retention.forever()))),
                reading(
                        "getTypes",
                        CreationCases::nothing,
                        (s, g) -> s.jobs.types().getTypes(s.faulty),
                        (s, g, types) -> assertThat(types).isEqualTo(List.of("mail", "paper"))),
                reading(
                        "getJobData",
                        s -> added(s, LARGE),
                        (s, g) -> s.jobs.getJobData(s.faulty, MAIL, "a"),
                        (s, g, data) -> assertThat(data).isEqualTo(Optional.of(LARGE))),
                reading(
                        "getJobState",
                        CreationCases::finished,
                        (s, g) -> s.jobs.getJobState(s.faulty, MAIL, "a"),
                        (s, g, state) -> assertThat(state).isEqualTo(FINISHED)),
                reading(
                        "list",
                        CreationCases::pending,
                        (s, g) -> s.jobs.list(s.faulty, MAIL, PageRequest.of(10)),
                        (s, g, page) -> assertThat(page.items()).hasSize(1)));
    }

    private static CompletableFuture<AddResult> add(FaultFixture fixture, String data) {
        return fixture.jobs.add(fixture.faulty, MAIL, "a", data);
    }

    private static CompletableFuture<List<AddResult>> addAll(FaultFixture fixture) {
        return fixture.jobs.addAll(
                fixture.faulty,
                List.of(NewJob.of(PAPER, "new").id("b"), NewJob.of(MAIL, "new").id("a"), NewJob.of(PAPER, "new")));
    }

    private static CompletableFuture<Boolean> remove(FaultFixture fixture) {
        return fixture.jobs.remove(fixture.faulty, MAIL, "a");
    }

    static String nothing(FaultFixture fixture) {
        return "";
    }

    private static String withRetention(FaultFixture fixture) {
        fixture.await(fixture.others.types().setTypeRetention(fixture.database(), MAIL, Retention.forever()));
        return "";
    }

    static String pending(FaultFixture fixture) {
        return added(fixture, "old");
    }

    static Job<String> running(FaultFixture fixture) {
        added(fixture, "old");
        return fixture.claimed("a");
    }

    static Job<String> pendingPaperAndRunning(FaultFixture fixture) {
        fixture.await(fixture.others.add(fixture.database(), PAPER, "b", "new"));
        return running(fixture);
    }

    static Job<String> finished(FaultFixture fixture) {
        Job<String> job = running(fixture);
        fixture.await(fixture.others.processor().finish(fixture.database(), job));
        return job;
    }

    private static String added(FaultFixture fixture, String data) {
        fixture.added("a", data);
        return data;
    }
}
