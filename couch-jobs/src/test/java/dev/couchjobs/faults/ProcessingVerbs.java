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

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs of those who run jobs and of those who wait for them, and what the activity monitor does. */
final class ProcessingVerbs {
    private static final String LARGE = "x".repeat(200_000);

    private ProcessingVerbs() {}

    static List<Verb<?, ?>> all() {
        return List.of(
                writing(
                        "accept",
                        ProcessingVerbs::twoPending,
                        (s, g) -> s.jobs.accept(MAIL, AcceptOptions.nonBlocking()),
                        (s, g, job) -> tookOneOfTwo(s, job)),
                writing(
                        "accept without schedule",
                        ProcessingVerbs::twoPending,
                        (s, g) ->
                                s.jobs.accept(MAIL, AcceptOptions.nonBlocking().noSchedule()),
                        (s, g, job) -> tookOneOfTwo(s, job)),
                writing("accept that waits", CreationVerbs::nothing, (s, g) -> acceptedWhenAdded(s), (s, g, job) -> {
                    shows(s, RUNNING, "new", PENDING, RUNNING);
                    s.await(s.others.finish(s.database(), job.orElseThrow()));
                }),
                writing(
                        "update",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.update(s.faulty, job),
                        (s, job, updated) -> {
                            shows(s, RUNNING, "old", PENDING, RUNNING);
                            s.await(s.others.finish(s.database(), job));
                        }),
                writing(
                        "update with data",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.update(s.faulty, job, "half"),
                        (s, job, updated) -> shows(s, RUNNING, "half", PENDING, RUNNING, RUNNING)),
                writing(
                        "update with large data",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.update(s.faulty, job, LARGE),
                        (s, job, updated) -> shows(s, RUNNING, LARGE, PENDING, RUNNING, RUNNING)),
                writing(
                        "finish",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.finish(s.faulty, job),
                        (s, job, r) -> shows(s, FINISHED, "old", PENDING, RUNNING, FINISHED)),
                writing(
                        "finish with data",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.finish(s.faulty, job, "result"),
                        (s, job, r) -> shows(s, FINISHED, "result", PENDING, RUNNING, FINISHED)),
                writing(
                        "finish of a job to run once more",
                        ProcessingVerbs::flagged,
                        (s, job) -> s.jobs.finish(s.faulty, job),
                        (s, job, r) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, RUNNING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "resubmit of a running job",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.resubmit(s.faulty, job),
                        (s, job, again) -> {
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            s.await(s.others.finish(s.database(), job));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "resubmit of a finished job",
                        CreationVerbs::finished,
                        (s, job) -> s.jobs.resubmit(s.faulty, job),
                        (s, job, again) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, FINISHED, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing(
                        "log",
                        ProcessingVerbs::withOneEntry,
                        (s, job) -> s.jobs.log(s.faulty, job, "two"),
                        (s, job, number) -> {
                            assertThat(number).isEqualTo(2);
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING, RUNNING);
                            assertThat(s.await(s.others.logEntries(s.database(), MAIL, "a", 0, 10)))
                                    .extracting(LogEntry::number)
                                    .containsExactly(1L, 2L);
                        }),
                writing(
                        "checkpoint, the first entry of all",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.checkpoint(s.faulty, job, "here"),
                        (s, job, number) -> {
                            assertThat(number).isEqualTo(1);
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            assertThat(s.await(s.others.lastCheckpoint(s.database(), MAIL, "a")))
                                    .isPresent();
                        }),
                writing(
                        "progress",
                        CreationVerbs::running,
                        (s, job) -> s.jobs.progress(s.faulty, job, 1, 2, "half"),
                        (s, job, r) -> shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING)),
                reading(
                        "logEntries, lastCheckpoint, counts and list",
                        ProcessingVerbs::withOneEntry,
                        (s, job) -> s.jobs.logEntries(s.faulty, MAIL, "a", 0, 10)
                                .thenCompose(log -> s.jobs.lastCheckpoint(s.faulty, MAIL, "a"))
                                .thenCompose(checkpoint -> s.jobs.counts(s.faulty, MAIL))
                                .thenCompose(
                                        counts -> s.jobs.list(s.faulty, MAIL, JobState.RUNNING, PageRequest.of(1))),
                        (s, job, page) -> assertThat(page.items()).hasSize(1)),
                reading("subscribe and wait", CreationVerbs::pending, (s, g) -> subscribed(s), (s, g, event) -> {
                    JobEvent<String> change = event.orElseThrow();
                    assertThat(change.state()).isEqualTo(PENDING);
                    assertThat(change.data()).contains("new");
                }),
                writing("the monitor's putting back", CreationVerbs::running, (s, job) -> putBack(s), (s, job, r) -> {
                            shows(s, PENDING, "old", PENDING, RUNNING, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        })
                        .withTimeout(Duration.ofSeconds(1)));
    }

    private static String twoPending(Scene scene) {
        scene.added("a", "old");
        scene.added("b", "old");
        return "";
    }

    private static void tookOneOfTwo(Scene scene, Optional<Job<String>> job) {
        Job<String> held = job.orElseThrow();
        String other = held.id().equals("a") ? "b" : "a";
        assertThat(scene.state(held.id())).isEqualTo(RUNNING);
        assertThat(scene.changesOf(held.id())).containsExactly(PENDING, RUNNING);
        assertThat(scene.state(other)).isEqualTo(PENDING);
        assertThat(scene.changesOf(other)).containsExactly(PENDING);
        scene.await(scene.others.finish(scene.database(), held));
        assertThat(scene.runs()).isEqualTo(1);
    }

    private static CompletableFuture<Optional<Job<String>>> acceptedWhenAdded(Scene scene) {
        CompletableFuture<Optional<Job<String>>> accepted = scene.jobs.accept(MAIL);
        return scene.others.add(scene.database(), MAIL, "a", "new").thenCompose(added -> accepted);
    }

    private static Job<String> withOneEntry(Scene scene) {
        Job<String> job = CreationVerbs.running(scene);
        scene.await(scene.others.log(scene.database(), job, "one"));
        return job;
    }

    private static Job<String> flagged(Scene scene) {
        Job<String> job = CreationVerbs.running(scene);
        return scene.await(scene.others.resubmit(scene.database(), job));
    }

    private static CompletableFuture<Optional<JobEvent<String>>> subscribed(Scene scene) {
        return scene.jobs
                .subscribe(scene.faulty, MAIL, "a")
                .thenCompose(subscription -> scene.others
                        .add(scene.database(), MAIL, "a", "new")
                        .thenCompose(added -> scene.jobs.wait(subscription, LONG)));
    }

    private static CompletableFuture<Optional<JobEvent<String>>> putBack(Scene scene) {
        Subscription<String> subscription = scene.await(scene.others.subscribe(scene.database(), MAIL, "a"));
        scene.jobs.monitor(MAIL);
        return scene.others.wait(subscription, JobState.PENDING, LONG);
    }
}
