package dev.couchjobs.faults;

import static dev.couchjobs.faults.FaultFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever verbs are called in whatever order, all other rows say of every job what its own row says. */
@Tag("long")
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

    private static List<Call> calls(Samples samples) {
        return samples.list(1, 40, AnyVerbsTest::call);
    }

    private static Call call(Samples samples) {
        return new Call(samples.choice(19), samples.choice(IDS), samples.between(-3, 3));
    }

    @Test
    void theRowsOfAJobAgreeAfterAnyVerbs() {
        Samples.check(40, samples -> {
            List<Call> calls = calls(samples);

            try (VirtualStage stage = new VirtualStage(1);
                    FaultFixture fixture = new FaultFixture(stage, Duration.ofSeconds(5))) {
                List<Job<String>> held = new ArrayList<>();
                await(fixture, fixture.others.limits().set(fixture.database(), MAIL, "key", 1));
                await(fixture, fixture.others.statuses().index(MAIL));
                for (Call call : calls) {
                    play(stage, fixture, held, call);
                    assertThat(fixture.rows().contradictions())
                            .as("after " + call)
                            .isEmpty();
                }
            }
        });
    }

    private static void play(VirtualStage stage, FaultFixture fixture, List<Job<String>> held, Call call) {
        String id = "j" + call.id();
        NewJob<String> job = NewJob.of(MAIL, "data " + call.number()).id(id);
        switch (call.verb()) {
            case 0 -> await(fixture, fixture.others.add(fixture.database(), job));
            case 1 -> await(fixture, fixture.others.add(fixture.database(), job.priority(call.number())));
            case 2 -> await(fixture, fixture.others.add(fixture.database(), later(stage, job, call)));
            case 3 ->
                await(
                        fixture,
                        fixture.others.addAll(
                                fixture.database(),
                                List.of(
                                        job,
                                        job.id("j0"),
                                        job.id("j1").priority(call.number()),
                                        later(stage, job, call))));
            case 4 -> await(fixture, fixture.others.remove(fixture.database(), MAIL, id));
            case 5 -> stage.await(fixture.claim()).ifPresent(held::add);
            case 6 ->
                withHeld(
                        held,
                        call,
                        claim -> await(fixture, fixture.others.processor().update(fixture.database(), claim)));
            case 7 ->
                withHeld(
                        held,
                        call,
                        claim -> await(fixture, fixture.others.processor().finish(fixture.database(), claim)));
            case 8 ->
                withHeld(
                        held,
                        call,
                        claim -> await(fixture, fixture.others.processor().resubmit(fixture.database(), claim)));
            case 9 ->
                withHeld(
                        held,
                        call,
                        claim -> await(fixture, fixture.others.processor().log(fixture.database(), claim, id)));
            case 10 -> withHeld(held, call, claim -> await(fixture, inOneTransaction(fixture, claim, job)));
            case 11 -> await(fixture, fixture.others.control().cancel(fixture.database(), MAIL, id, "any"));
            case 12 ->
                await(fixture, fixture.others.control().reprioritise(fixture.database(), MAIL, id, call.number()));
            case 13 -> await(fixture, fixture.others.control().runNow(fixture.database(), MAIL, id));
            case 14 -> await(fixture, fixture.others.statuses().index(MAIL));
            case 15 ->
                await(
                        fixture,
                        call.number() == 0
                                ? fixture.others.statuses().drop(fixture.database(), MAIL)
                                : fixture.others
                                        .limits()
                                        .set(fixture.database(), MAIL, "key", 1 + Math.abs(call.number())));
            case 16, 17 ->
                await(
                        fixture,
                        fixture.others.add(
                                fixture.database(),
                                (call.number() < 0 ? later(stage, job, call) : job).limitKey("key")));
            default -> {
                fixture.others.maintenance().monitor(MAIL);
                stage.time().advance(Duration.ofSeconds(2 + Math.abs(call.number())));
            }
        }
    }

    private static NewJob<String> later(VirtualStage stage, NewJob<String> job, Call call) {
        return job.priority(call.number())
                .at(stage.environment().clock().instant().plusSeconds(call.id() + 1));
    }

    private static CompletableFuture<?> inOneTransaction(FaultFixture fixture, Job<String> claim, NewJob<String> job) {
        return fixture.database().runAsync(tx -> {
            var updated = fixture.others.processor().update(tx, claim, "halfway");
            var added = fixture.others.addAll(tx, List.of(job, job.id("j2").priority(2)));
            var logged = fixture.others.processor().checkpoint(tx, claim, "there");
            var finished = fixture.others.processor().finish(tx, claim);
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
    private static void await(FaultFixture fixture, CompletableFuture<?> call) {
        try {
            fixture.await(call);
        } catch (CompletionException e) {
            assertThat(e).hasRootCauseInstanceOf(JobHaltedException.class);
        }
    }
}
