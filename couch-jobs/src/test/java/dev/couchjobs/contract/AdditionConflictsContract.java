package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * An addition conflicts with nothing but another addition of the same id or unique key, or, with an order key, with
 * what changes the order: another addition, and the end of the job before.
 */
class AdditionConflictsContract extends JobsContract {
    private static final String KEY = "tenant-7";

    /**
     * What jobs are added with.
     *
     * @param rules what holds for their type
     */
    private record Option(String name, UnaryOperator<NewJob<WorkData>> of, Runnable rules) {}

    /** What commits while an addition is under way. */
    private record Rival(String name, Consumer<Option> act) {}

    private Option option(String name, UnaryOperator<NewJob<WorkData>> of) {
        return new Option(name, of, () -> {});
    }

    private List<Option> options() {
        await(jobs.batches().open(database, Batch.of("import")));
        await(jobs.add(database, NewJob.of(MAIL, new WorkData(0)).id("before")));
        return List.of(
                option("nothing", job -> job),
                option("a priority", job -> job.priority(3)),
                option("a time", job -> job.at(Instant.now().plusSeconds(3_600))),
                option("a deadline", job -> job.startBefore(Instant.now().plusSeconds(3_600))),
                option("tags", job -> job.tags("red", "green")),
                option("a header", job -> job.header("trace", "1")),
                option("a batch", job -> job.batch("import")),
                option("a dependency", job -> job.after(MAIL, "before")),
                option(
                        "its own unique key",
                        job -> job.unique(Unique.by(job.id().orElseThrow()))),
                option("a turn key", job -> job.turnKey(KEY)),
                option("an order key", job -> job.sequence(KEY)),
                option("a limit key", job -> job.limitKey(KEY)),
                option("a limit key and a turn key", job -> job.limitKey(KEY).turnKey(KEY)),
                option("a limit key and an order key", job -> job.limitKey(KEY).sequence(KEY)),
                new Option(
                        "a limit key of one",
                        job -> job.limitKey(KEY),
                        () -> await(jobs.limits().set(database, INDEX, KEY, 1))),
                new Option(
                        "a limit key of three",
                        job -> job.limitKey(KEY),
                        () -> await(jobs.limits().set(database, INDEX, KEY, 3))),
                new Option(
                        "a rated limit key",
                        job -> job.limitKey(KEY),
                        () -> await(
                                jobs.limits().setRate(database, INDEX, KEY, Rate.perWindow(1, Duration.ofHours(1))))),
                new Option(
                        "a paused limit key",
                        job -> job.limitKey(KEY),
                        () -> await(jobs.limits().pause(database, INDEX, KEY))),
                new Option(
                        "a type of one", job -> job, () -> await(jobs.limits().setTotal(database, INDEX, 1))));
    }

    private List<Rival> rivals() {
        return List.of(
                new Rival("an addition", option -> add("rival", option.of())),
                new Rival("a claim", option -> claim()),
                new Rival("a claim and its end", option -> finish(claim())),
                new Rival("the end of a job that runs", option -> finish(running)),
                new Rival("a removal", option -> await(jobs.remove(database, INDEX, "waiting"))));
    }

    private Optional<Job<WorkData>> running = Optional.empty();

    private void finish(Optional<Job<WorkData>> held) {
        held.ifPresent(job -> await(jobs.processor().finish(database, job)));
    }

    private void add(String id, UnaryOperator<NewJob<WorkData>> of) {
        await(jobs.add(database, of.apply(NewJob.of(INDEX, new WorkData(1)).id(id))));
    }

    private Optional<Job<WorkData>> claim() {
        return await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    @Test
    void anAdditionIsNotRefusedBecauseOfWhatElseHappens() {
        List<String> conflicts = new ArrayList<>();
        int count = options().size();
        for (int option = 0; option < count; option++) {
            for (Rival rival : rivals()) {
                clearJobs();
                openJobs();
                Option tried = options().get(option);
                if (!tried.name().endsWith("an order key") && isRefused(tried, rival)) {
                    conflicts.add("An addition with " + tried.name() + ", beside " + rival.name());
                }
            }
        }
        assertThat(conflicts).isEmpty();
    }

    /** {@return whether a rival that commits first lets an addition fail} */
    private boolean isRefused(Option option, Rival rival) {
        option.rules().run();
        add("first", option.of());
        running = claim();
        add("waiting", option.of());
        add("waiting-too", option.of());
        try (Transaction tx = database.createTransaction()) {
            await(tx.getReadVersion());
            await(jobs.add(
                    tx, option.of().apply(NewJob.of(INDEX, new WorkData(1)).id("added"))));
            rival.act().accept(option);
            await(tx.commit());
            return false;
        } catch (CompletionException e) {
            assertThat(e).hasMessageContaining("not committed");
            return true;
        }
    }
}
