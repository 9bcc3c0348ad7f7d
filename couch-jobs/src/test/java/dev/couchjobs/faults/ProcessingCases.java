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

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Renewal;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs of those who run jobs and of those who wait for them, and what the activity monitor does. */
final class ProcessingCases {
    private static final String LARGE = "x".repeat(200_000);

    private ProcessingCases() {}

    static List<VerbCase<?, ?>> all() {
        return List.of(
                writing(
                        "accept",
                        ProcessingCases::twoPending,
                        (s, g) -> s.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()),
                        (s, g, job) -> tookOneOfTwo(s, job)),
                writing(
                        "accept without schedule",
                        ProcessingCases::twoPending,
                        (s, g) -> s.jobs.processor()
                                .accept(MAIL, AcceptOptions.nonBlocking().noSchedule()),
                        (s, g, job) -> tookOneOfTwo(s, job)),
                writing("accept that waits", CreationCases::nothing, (s, g) -> acceptedWhenAdded(s), (s, g, job) -> {
                    shows(s, RUNNING, "new", PENDING, RUNNING);
                    s.await(s.others.processor().finish(s.database(), job.orElseThrow()));
                }),
                writing(
                        "update",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().update(s.faulty, job),
                        (s, job, updated) -> {
                            shows(s, RUNNING, "old", PENDING, RUNNING);
                            s.await(s.others.processor().finish(s.database(), job));
                        }),
                writing(
                        "update with data",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().update(s.faulty, job, "half"),
                        (s, job, updated) -> shows(s, RUNNING, "half", PENDING, RUNNING, RUNNING)),
                writing(
                        "update with large data",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().update(s.faulty, job, LARGE),
                        (s, job, updated) -> shows(s, RUNNING, LARGE, PENDING, RUNNING, RUNNING)),
                writing(
                        "accept of several",
                        ProcessingCases::twoPending,
                        (s, g) -> s.jobs.processor().accept(MAIL, 2, AcceptOptions.nonBlocking()),
                        (s, g, claims) -> tookSomeOfTwo(s, claims)),
                reading(
                        "claim",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().claim(s.faulty, MAIL, "a", job.lock()),
                        (s, job, restored) -> assertThat(restored).isEqualTo(job)),
                reading(
                        "claim by a key",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().claim(s.faulty, new ClaimKey(MAIL, "a", job.lock())),
                        (s, job, restored) -> assertThat(restored).isEqualTo(job)),
                writing(
                        "updateAll",
                        ProcessingCases::twoRunning,
                        (s, claims) -> s.jobs.processor().updateAll(s.faulty, claims),
                        (s, claims, renewals) -> {
                            assertThat(renewals).extracting(Renewal::isRenewed).containsExactly(true, true);
                            shows(s, RUNNING, "old", PENDING, RUNNING);
                            s.await(s.others.processor().finish(s.database(), claims.get(0)));
                        }),
                writing(
                        "renewAll",
                        ProcessingCases::twoRunning,
                        (s, claims) -> s.jobs.processor()
                                .renewAll(
                                        s.faulty,
                                        claims.stream()
                                                .map(job -> new ClaimKey(job.type(), job.id(), job.lock()))
                                                .toList()),
                        (s, claims, halts) -> {
                            assertThat(halts).containsExactly(Optional.empty(), Optional.empty());
                            shows(s, RUNNING, "old", PENDING, RUNNING);
                        }),
                writing(
                        "release",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().release(s.faulty, job),
                        (s, job, r) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "finish",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().finish(s.faulty, job),
                        (s, job, r) -> shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED)),
                writing(
                        "finish with data",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().finish(s.faulty, job, "result"),
                        (s, job, r) -> shows(s, FINISHED, "result", PENDING, RUNNING, FINISHED)),
                writing(
                        "finish of a job to run once more",
                        ProcessingCases::flagged,
                        (s, job) -> s.jobs.processor().finish(s.faulty, job),
                        (s, job, r) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, RUNNING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "resubmit of a running job",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().resubmit(s.faulty, job),
                        (s, job, again) -> {
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            s.await(s.others.processor().finish(s.database(), job));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "resubmit of a finished job",
                        CreationCases::finished,
                        (s, job) -> s.jobs.processor().resubmit(s.faulty, job),
                        (s, job, again) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, FINISHED, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "log",
                        ProcessingCases::withOneEntry,
                        (s, job) -> s.jobs.processor().log(s.faulty, job, "two"),
                        (s, job, number) -> {
                            assertThat(number).isEqualTo(2);
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING, RUNNING);
                            assertThat(s.await(s.others.details().entries(s.database(), MAIL, "a", 0, 10)))
                                    .extracting(LogEntry::number)
                                    .containsExactly(1L, 2L);
                        }),
                writing(
                        "checkpoint, the first entry of all",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().checkpoint(s.faulty, job, "here"),
                        (s, job, number) -> {
                            assertThat(number).isEqualTo(1);
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            assertThat(s.await(s.others.details().lastCheckpoint(s.database(), MAIL, "a")))
                                    .isPresent();
                        }),
                writing(
                        "progress",
                        CreationCases::running,
                        (s, job) -> s.jobs.processor().progress(s.faulty, job, 1, 2, "half"),
                        (s, job, r) -> shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING)),
                reading(
                        "logEntries, lastCheckpoint, counts and list",
                        ProcessingCases::withOneEntry,
                        (s, job) -> s.jobs.details()
                                .entries(s.faulty, MAIL, "a", 0, 10)
                                .thenCompose(log -> s.jobs.details().lastCheckpoint(s.faulty, MAIL, "a"))
                                .thenCompose(checkpoint -> s.jobs.counts(s.faulty, MAIL))
                                .thenCompose(
                                        counts -> s.jobs.list(s.faulty, MAIL, JobState.RUNNING, PageRequest.of(1))),
                        (s, job, page) -> assertThat(page.items()).hasSize(1)),
                reading("subscribe and wait", CreationCases::pending, (s, g) -> subscribed(s), (s, g, event) -> {
                    JobEvent<String> change = event.orElseThrow();
                    assertThat(change.state()).isEqualTo(PENDING);
                    assertThat(change.data()).contains("new");
                }),
                writing("the monitor's putting back", CreationCases::running, (s, job) -> putBack(s), (s, job, r) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        })
                        .withTimeout(Duration.ofSeconds(1)));
    }

    private static String twoPending(FaultFixture fixture) {
        fixture.added("a", "old");
        fixture.added("b", "old");
        return "";
    }

    /** After a conflict, a claim takes fewer jobs. */
    private static void tookSomeOfTwo(FaultFixture fixture, List<Job<String>> claims) {
        assertThat(claims).extracting(Job::id).isNotEmpty().isSubsetOf("a", "b");
        for (Job<String> claim : claims) {
            assertThat(fixture.changesOf(claim.id())).containsExactly(PENDING, RUNNING);
            fixture.await(fixture.others.processor().finish(fixture.database(), claim));
        }
        assertThat(fixture.runs()).isEqualTo(2 - claims.size());
    }

    private static List<Job<String>> twoRunning(FaultFixture fixture) {
        twoPending(fixture);
        return fixture.await(fixture.others.processor().accept(MAIL, 2, AcceptOptions.nonBlocking()));
    }

    private static void tookOneOfTwo(FaultFixture fixture, Optional<Job<String>> job) {
        Job<String> held = job.orElseThrow();
        String other = held.id().equals("a") ? "b" : "a";
        assertThat(fixture.state(held.id())).isEqualTo(RUNNING);
        assertThat(fixture.changesOf(held.id())).containsExactly(PENDING, RUNNING);
        assertThat(fixture.state(other)).isEqualTo(PENDING);
        assertThat(fixture.changesOf(other)).containsExactly(PENDING);
        fixture.await(fixture.others.processor().finish(fixture.database(), held));
        assertThat(fixture.runs()).isEqualTo(1);
    }

    private static CompletableFuture<Optional<Job<String>>> acceptedWhenAdded(FaultFixture fixture) {
        CompletableFuture<Optional<Job<String>>> accepted =
                fixture.jobs.processor().accept(MAIL);
        return fixture.others.add(fixture.database(), MAIL, "a", "new").thenCompose(added -> accepted);
    }

    private static Job<String> withOneEntry(FaultFixture fixture) {
        Job<String> job = CreationCases.running(fixture);
        fixture.await(fixture.others.processor().log(fixture.database(), job, "one"));
        return job;
    }

    private static Job<String> flagged(FaultFixture fixture) {
        Job<String> job = CreationCases.running(fixture);
        return fixture.await(fixture.others.processor().resubmit(fixture.database(), job));
    }

    private static CompletableFuture<Optional<JobEvent<String>>> subscribed(FaultFixture fixture) {
        return fixture.jobs
                .subscribe(fixture.faulty, MAIL, "a")
                .thenCompose(subscription -> fixture.others
                        .add(fixture.database(), MAIL, "a", "new")
                        .thenCompose(added -> subscription.awaitEvent(LONG)));
    }

    private static CompletableFuture<Optional<JobEvent<String>>> putBack(FaultFixture fixture) {
        Subscription<String> subscription = fixture.await(fixture.others.subscribe(fixture.database(), MAIL, "a"));
        fixture.jobs.maintenance().monitor(MAIL);
        return subscription.awaitEvent(JobState.PENDING, LONG);
    }
}
