package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.faults.StepFault.CONFLICT;
import static dev.couchjobs.faults.StepFault.FUTURE_VERSION_AT_COMMIT;
import static dev.couchjobs.faults.StepFault.TOO_OLD_AT_COMMIT;
import static dev.couchjobs.faults.StepFault.UNKNOWN_AND_NOT_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.NewJob;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.faults.Script;
import dev.couchjobs.faults.StepFault;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a further try of a verb costs while others write a lot: it reads their changes only if the verb may be done. */
class RetriedTest {
    private static final int CHANGES = 20;

    private final MeasuredStage stage = new MeasuredStage(4, MAIL);
    private final Script script = new Script();
    private final MeasuredDatabase measured =
            new MeasuredDatabase(new FaultyDatabase(stage.database(), script), stage.time());
    private final Database database = measured.asDatabase();
    private final CouchJobs jobs = stage.builder(database)
            .maxClockSkew(Duration.ofDays(36_500)) // a note of a clock would take the fault that is meant for a verb
            .build();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    /** The verbs that act once, each with what it needs. */
    private enum Verb {
        ADD,
        ACCEPT,
        FINISH,
        HANDLER_FINISH
    }

    private Supplier<CompletableFuture<?>> prepared(Verb verb) {
        return switch (verb) {
            case ADD -> () -> jobs.add(database, MAIL, "a", DATA);
            case ACCEPT -> {
                addByOthers();
                yield () -> jobs.processor().accept(MAIL, AcceptOptions.nonBlocking());
            }
            case FINISH -> {
                Job<String> job = claimedByOthers();
                yield () -> jobs.processor().finish(database, job);
            }
            case HANDLER_FINISH -> {
                JobContext<String> job = begun();
                yield () -> job.finishAsync(tx -> CompletableFuture.completedFuture("sent"));
            }
        };
    }

    private void addByOthers() {
        stage.await(stage.others().add(stage.database(), MAIL, "a", DATA));
    }

    private Job<String> claimedByOthers() {
        addByOthers();
        return stage.await(stage.others().processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
    }

    private JobContext<String> begun() {
        addByOthers();
        CompletableFuture<JobContext<String>> begun = new CompletableFuture<>();
        var unused = jobs.worker()
                .handleAsync(MAIL, job -> {
                    begun.complete(job);
                    return new CompletableFuture<>();
                })
                .executor(stage.time())
                .concurrency(1)
                .start();
        return stage.await(begun);
    }

    /** {@return what the tries cost of a verb that some faults happen to, during each of which others write a lot} */
    private List<Cost> tries(Supplier<CompletableFuture<?>> verb, StepFault... faults) {
        for (StepFault fault : faults) {
            script.next(fault).meanwhile(this::manyChanges);
        }
        measured.forget();
        stage.await(verb.get());
        List<Cost> tries = measured.tries().stream()
                .map(MeasuredTry::cost)
                .filter(cost -> cost.writes() && Cost.reading("data").test(cost))
                .toList();
        assertThat(tries).hasSize(faults.length + 1);
        return tries;
    }

    /** Each after the one before, as changes at the same time share commits. */
    private CompletableFuture<?> manyChanges() {
        CompletableFuture<?> changed = CompletableFuture.completedFuture(null);
        for (int i = 0; i < CHANGES; i++) {
            changed = changed.thenCompose(before -> stage.others().add(stage.database(), later()));
        }
        return changed;
    }

    /** {@return a job that no claim comes by} */
    private NewJob<String> later() {
        return NewJob.of(MAIL, DATA).at(stage.time().instant().plus(Duration.ofDays(1)));
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void afterAConflictAVerbDoesNotLookForItsOwnCommit(Verb verb) {
        assertThat(tries(prepared(verb), CONFLICT, TOO_OLD_AT_COMMIT, FUTURE_VERSION_AT_COMMIT))
                .noneMatch(Cost.reading("feed"));
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void afterAnUnknownResultItLooks(Verb verb) {
        assertThat(tries(prepared(verb), UNKNOWN_AND_NOT_COMMITTED)).last().matches(Cost.reading("feed"));
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void itAlsoLooksAfterAConflictThatFollowsAnUnknownResult(Verb verb) {
        assertThat(tries(prepared(verb), UNKNOWN_AND_NOT_COMMITTED, CONFLICT))
                .last()
                .matches(Cost.reading("feed"));
    }

    @Test
    void aTryAfterAConflictCostsAsMuchAsTheFirst() {
        List<Cost> tries = tries(prepared(Verb.ADD), CONFLICT);

        assertThat(tries.get(1)).isEqualTo(tries.get(0));
    }

    @Test
    void aTryAfterAnUnknownResultReadsWhatOthersHaveChanged() {
        List<Cost> tries = tries(prepared(Verb.ADD), UNKNOWN_AND_NOT_COMMITTED);

        assertThat(tries.get(1).keysRead()).isEqualTo(tries.get(0).keysRead() + CHANGES);
    }

    /** Only of a database can transactions be had whose commits the library makes itself. */
    @Test
    void whereTheResultsAreNotSeenEveryFurtherTryReadsWhatOthersHaveChanged() {
        TransactionContext other = DatabaseProxies.to(
                TransactionContext.class,
                (self, method, arguments) -> DatabaseProxies.invoke(database, method, arguments));

        List<Cost> tries = tries(() -> jobs.add(other, MAIL, "a", DATA), CONFLICT);

        assertThat(tries.get(1).keysRead()).isEqualTo(tries.get(0).keysRead() + CHANGES);
    }
}
