package dev.couchjobs.faults;

import static dev.couchjobs.faults.Scene.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Whatever verbs are called in whatever order, all other rows say of every job what its own row says. */
class AnyVerbsTest {
    private static final int IDS = 4;

    /**
     * One call.
     *
     * @param verb which
     * @param id of which job
     * @param number a priority, a time or an amount, whatever the verb takes
     */
    record Call(int verb, int id, int number) {}

    @Provide
    Arbitrary<List<Call>> calls() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 11),
                        Arbitraries.integers().between(0, IDS - 1),
                        Arbitraries.integers().between(-3, 3))
                .as(Call::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(40);
    }

    @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
    void theRowsOfAJobAgreeAfterAnyVerbs(@ForAll("calls") List<Call> calls) {
        try (VirtualStage stage = new VirtualStage(1);
                Scene scene = new Scene(stage, Duration.ofSeconds(5))) {
            List<Job<String>> held = new ArrayList<>();
            for (Call call : calls) {
                play(stage, scene, held, call);
                assertThat(scene.rows().contradictions()).as("after " + call).isEmpty();
            }
        }
    }

    private static void play(VirtualStage stage, Scene scene, List<Job<String>> held, Call call) {
        String id = "j" + call.id();
        NewJob<String> job = NewJob.of(MAIL, "data " + call.number()).id(id);
        switch (call.verb()) {
            case 0 -> await(scene, scene.others.add(scene.database(), job));
            case 1 -> await(scene, scene.others.add(scene.database(), job.priority(call.number())));
            case 2 -> await(scene, scene.others.add(scene.database(), later(stage, job, call)));
            case 3 ->
                await(
                        scene,
                        scene.others.addAll(
                                scene.database(),
                                List.of(
                                        job,
                                        job.id("j0"),
                                        job.id("j1").priority(call.number()),
                                        later(stage, job, call))));
            case 4 -> await(scene, scene.others.remove(scene.database(), MAIL, id));
            case 5 -> stage.await(scene.claim()).ifPresent(held::add);
            case 6 -> withHeld(held, call, claim -> await(scene, scene.others.update(scene.database(), claim)));
            case 7 -> withHeld(held, call, claim -> await(scene, scene.others.finish(scene.database(), claim)));
            case 8 -> withHeld(held, call, claim -> await(scene, scene.others.resubmit(scene.database(), claim)));
            case 9 -> withHeld(held, call, claim -> await(scene, scene.others.log(scene.database(), claim, id)));
            case 10 -> withHeld(held, call, claim -> await(scene, inOneTransaction(scene, claim, job)));
            default -> {
                scene.others.monitor(MAIL);
                stage.time().advance(Duration.ofSeconds(2 + Math.abs(call.number())));
            }
        }
    }

    private static NewJob<String> later(VirtualStage stage, NewJob<String> job, Call call) {
        return job.priority(call.number())
                .at(stage.environment().clock().instant().plusSeconds(call.id() + 1));
    }

    private static CompletableFuture<?> inOneTransaction(Scene scene, Job<String> claim, NewJob<String> job) {
        return scene.database().runAsync(tx -> {
            var updated = scene.others.update(tx, claim, "halfway");
            var added = scene.others.addAll(tx, List.of(job, job.id("j2").priority(2)));
            var logged = scene.others.checkpoint(tx, claim, "there");
            var finished = scene.others.finish(tx, claim);
            return CompletableFuture.allOf(updated, added, logged, finished);
        });
    }

    private interface Use {
        void of(Job<String> claim);
    }

    private static void withHeld(List<Job<String>> held, Call call, Use use) {
        if (!held.isEmpty()) {
            use.of(held.get(Math.floorMod(call.number(), held.size())));
        }
    }

    /** A claim that was lost meanwhile is an answer like any other. */
    private static void await(Scene scene, CompletableFuture<?> call) {
        try {
            scene.await(call);
        } catch (CompletionException e) {
            assertThat(e).hasRootCauseInstanceOf(JobHaltedException.class);
        }
    }
}
