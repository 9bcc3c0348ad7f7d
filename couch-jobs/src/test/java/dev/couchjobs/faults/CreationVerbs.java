package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.MAIL;
import static dev.couchjobs.faults.Scene.PAPER;
import static dev.couchjobs.faults.Verb.blind;
import static dev.couchjobs.faults.Verb.reading;
import static dev.couchjobs.faults.Verb.shows;
import static dev.couchjobs.faults.Verb.writing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs of those who create jobs and types, and of those who look at them. */
final class CreationVerbs {
    private static final String LARGE = "x".repeat(200_000);
    private static final Instant PAST = Instant.ofEpochSecond(1_000);

    private CreationVerbs() {}

    static List<Verb<?, ?>> all() {
        return List.of(
                writing("add of a new job", CreationVerbs::nothing, (s, g) -> add(s, "new"), (s, g, r) -> {
                    shows(s, PENDING, "new", PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing(
                        "add of a new job with large data",
                        CreationVerbs::nothing,
                        (s, g) -> add(s, LARGE),
                        (s, g, r) -> {
                            shows(s, PENDING, LARGE, PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("add of a pending job", CreationVerbs::pending, (s, g) -> add(s, "new"), (s, g, r) -> {
                    shows(s, PENDING, "new", PENDING, PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing(
                        "add of a pending job at another time",
                        CreationVerbs::pending,
                        (s, g) -> s.jobs.add(s.faulty, MAIL, "a", "old", PAST),
                        (s, g, r) -> {
                            shows(s, PENDING, "old", PENDING, PENDING);
                            assertThat(s.rows().pending()).containsExactly(new Rows.Pending(1_000, "a"));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("add of a running job", CreationVerbs::running, (s, g) -> add(s, "new"), (s, job, r) -> {
                    shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                    s.await(s.others.finish(s.database(), job));
                    assertThat(s.runs()).isEqualTo(1);
                }),
                writing("add of a finished job", CreationVerbs::finished, (s, g) -> add(s, "new"), (s, g, r) -> {
                    shows(s, PENDING, "new", PENDING, RUNNING, FINISHED, PENDING);
                    assertThat(s.runs()).isEqualTo(1);
                }),
                reading("add of a job as it is", CreationVerbs::pending, (s, g) -> add(s, "old"), (s, g, r) -> {
                    shows(s, PENDING, "old", PENDING);
                }),
                writing(
                        "add of a new job without an id",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.add(s.faulty, MAIL, "new"),
                        (s, g, id) -> {
                            assertThat(s.changesOf(id)).containsExactly(PENDING);
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("addAll of new jobs of two types", CreationVerbs::nothing, (s, g) -> addAll(s), (s, g, ids) -> {
                    shows(s, PENDING, "new", PENDING);
                    assertThat(ids).hasSize(3).contains("a", "b");
                    assertThat(s.runs()).isEqualTo(1);
                    assertThat(s.rows(PAPER).pending()).hasSize(2);
                }),
                writing(
                        "addAll of a running job and one that is as it is",
                        CreationVerbs::pendingPaperAndRunning,
                        (s, g) -> s.jobs.addAll(
                                s.faulty,
                                List.of(
                                        NewJob.of(PAPER, "new").id("b"),
                                        NewJob.of(MAIL, "new").id("a"))),
                        (s, job, ids) -> {
                            shows(s, RUNNING, "old", PENDING, RUNNING, RUNNING);
                            assertThat(s.rows(PAPER).changesOf("b")).containsExactly(PENDING);
                            s.await(s.others.finish(s.database(), job));
                            assertThat(s.runs()).isEqualTo(1);
                        }),
                writing("remove", CreationVerbs::pending, (s, g) -> remove(s), (s, g, found) -> {
                    assertThat(found).isTrue();
                    shows(s, NOT_FOUND, null, PENDING, NOT_FOUND);
                }),
                reading("remove of a missing job", CreationVerbs::nothing, (s, g) -> remove(s), (s, g, found) -> {
                    assertThat(found).isFalse();
                    shows(s, NOT_FOUND, null);
                }),
                blind(
                        "setTypeTimeout",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.setTypeTimeout(s.faulty, MAIL, Duration.ofSeconds(7)),
                        (s, g, r) -> assertThat(s.await(s.others.getTypeTimeout(s.database(), MAIL)))
                                .contains(Duration.ofSeconds(7))),
                blind(
                        "clearTypeTimeout",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.clearTypeTimeout(s.faulty, MAIL),
                        (s, g, r) -> assertThat(s.await(s.others.getTypeTimeout(s.database(), MAIL)))
                                .isEmpty()),
                reading(
                        "getTypeTimeout",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.getTypeTimeout(s.faulty, MAIL),
                        (s, g, timeout) -> assertThat(timeout).isEqualTo(Optional.of(Duration.ofSeconds(30)))),
                reading(
                        "getTypes",
                        CreationVerbs::nothing,
                        (s, g) -> s.jobs.getTypes(s.faulty),
                        (s, g, types) -> assertThat(types).isEqualTo(List.of("mail", "paper"))),
                reading(
                        "getJobData",
                        s -> added(s, LARGE),
                        (s, g) -> s.jobs.getJobData(s.faulty, MAIL, "a"),
                        (s, g, data) -> assertThat(data).isEqualTo(Optional.of(LARGE))),
                reading(
                        "getJobState",
                        CreationVerbs::finished,
                        (s, g) -> s.jobs.getJobState(s.faulty, MAIL, "a"),
                        (s, g, state) -> assertThat(state).isEqualTo(FINISHED)),
                reading(
                        "list",
                        CreationVerbs::pending,
                        (s, g) -> s.jobs.list(s.faulty, MAIL, PageRequest.of(10)),
                        (s, g, page) -> assertThat(page.items()).hasSize(1)));
    }

    private static CompletableFuture<Void> add(Scene scene, String data) {
        return scene.jobs.add(scene.faulty, MAIL, "a", data);
    }

    private static CompletableFuture<List<String>> addAll(Scene scene) {
        return scene.jobs.addAll(
                scene.faulty,
                List.of(NewJob.of(PAPER, "new").id("b"), NewJob.of(MAIL, "new").id("a"), NewJob.of(PAPER, "new")));
    }

    private static CompletableFuture<Boolean> remove(Scene scene) {
        return scene.jobs.remove(scene.faulty, MAIL, "a");
    }

    static String nothing(Scene scene) {
        return "";
    }

    static String pending(Scene scene) {
        return added(scene, "old");
    }

    static Job<String> running(Scene scene) {
        added(scene, "old");
        return scene.claimed("a");
    }

    static Job<String> pendingPaperAndRunning(Scene scene) {
        scene.await(scene.others.add(scene.database(), PAPER, "b", "new"));
        return running(scene);
    }

    static Job<String> finished(Scene scene) {
        Job<String> job = running(scene);
        scene.await(scene.others.finish(scene.database(), job));
        return job;
    }

    private static String added(Scene scene, String data) {
        scene.added("a", data);
        return data;
    }
}
