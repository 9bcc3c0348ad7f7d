package dev.couchjobs.faults;

import static dev.couchjobs.faults.FaultFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobState;
import dev.couchjobs.JobsException;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transactions that call any verbs without waiting in between, while each read takes 25 ms. */
@Tag("long")
class VerbsTogetherTest {
    private static final int IDS = 4;
    private static final int UNIQUE_KEY = 10;
    private static final int CANCELLED = 1025;

    /**
     * One call.
     *
     * @param verb chooses the verb
     * @param id chooses the job
     * @param number chooses the options
     */
    record Call(int verb, int id, int number) {}

    private static List<List<Call>> transactions(Samples samples) {
        return samples.list(1, 6, VerbsTogetherTest::transaction);
    }

    private static List<Call> transaction(Samples samples) {
        return samples.list(1, 5, VerbsTogetherTest::call);
    }

    private static Call call(Samples samples) {
        return new Call(samples.choice(15), samples.choice(IDS), samples.choice(256));
    }

    @Test
    void theRowsAgreeAndNoTwoJobsShareAKey() {
        Samples.check(120, samples -> {
            List<List<Call>> transactions = transactions(samples);

            try (SlowStage stage = new SlowStage();
                    FaultFixture fixture = new FaultFixture(stage, Duration.ofHours(1))) {
                stage.await(fixture.others.limits().set(fixture.database(), MAIL, "key", 1));
                for (List<Call> calls : transactions) {
                    play(fixture, calls);
                    stage.await(fixture.claim())
                            .ifPresent(claim -> stage.await(
                                    fixture.others.processor().fail(fixture.database(), claim, "for good", false)));

                    TypeRows rows = fixture.rows();
                    assertThat(rows.contradictions()).as("after " + calls).isEmpty();
                    Set<String> keys = new HashSet<>();
                    rows.data().values().stream()
                            .filter(row -> row.state() != JobState.FINISHED)
                            .map(row -> row.options().size() > UNIQUE_KEY
                                    ? row.options().getString(UNIQUE_KEY)
                                    : "")
                            .filter(key -> !key.isEmpty())
                            .forEach(key -> assertThat(keys.add(key))
                                    .as("the key " + key + " after " + calls)
                                    .isTrue());
                }
            }
        });
    }

    /** A verb may refuse. Some refusals cancel the transaction, and the other verbs report that. */
    private static void play(FaultFixture fixture, List<Call> calls) {
        try {
            fixture.await(fixture.database()
                    .runAsync(tx -> CompletableFuture.allOf(calls.stream()
                            .map(call -> begin(fixture.others, tx, call))
                            .toArray(CompletableFuture<?>[]::new))));
        } catch (CompletionException e) {
            assertThat(e.getCause())
                    .satisfiesAnyOf(
                            error -> assertThat(error).isInstanceOf(JobsException.class),
                            error -> assertThat(error)
                                    .isInstanceOfSatisfying(
                                            FDBException.class,
                                            failure -> assertThat(failure.getCode())
                                                    .isEqualTo(CANCELLED)));
        }
    }

    private static CompletableFuture<?> begin(CouchJobs jobs, Transaction tx, Call call) {
        String id = "j" + call.id();
        return switch (call.verb()) {
            case 0, 1, 2, 3 -> jobs.add(tx, job(call.id(), call.number()));
            case 4, 5 ->
                jobs.addAll(tx, List.of(job(call.id(), call.number()), job((call.id() + 1) % IDS, call.number() / 3)));
            case 6, 7 -> jobs.remove(tx, MAIL, id);
            case 8, 9 -> jobs.control().cancel(tx, MAIL, id, "any");
            case 10, 11 -> jobs.deadLetters().retry(tx, MAIL, id);
            case 12 -> jobs.control().runNow(tx, MAIL, id);
            case 13 -> jobs.limits().set(tx, MAIL, "key", 1 + call.number() % 3);
            default -> jobs.control().reprioritise(tx, MAIL, id, call.number());
        };
    }

    private static NewJob<String> job(int id, int number) {
        NewJob<String> job = NewJob.of(MAIL, "data " + number).id("j" + id);
        if (number % 3 == 0) { // a unique job with dependencies is not compared with what other verbs have changed
            DependencyPolicy[] policies = DependencyPolicy.values();
            Dependency dependency = Dependency.on(MAIL, "j" + (id + 1 + number % 2) % IDS);
            job = job.after(dependency.ifUnsuccessful(policies[number / 3 % policies.length]));
        } else if (number % 2 == 0) {
            Unique rule = Unique.by(number % 8 == 0 ? "b" : "a");
            job = job.unique(number % 5 == 0 ? rule.replacing() : rule);
        }
        if (number % 7 == 0) {
            job = job.limitKey("key");
        }
        if (number % 13 == 0) {
            job = job.turnKey("turn" + number % 2);
        }
        return number % 11 == 0 ? job.sequence("sequence") : job;
    }
}
