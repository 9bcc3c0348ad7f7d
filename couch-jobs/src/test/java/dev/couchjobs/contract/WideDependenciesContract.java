package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Feature E2 with more jobs than one transaction can tell, with many who end jobs at once, and with nodes that die. */
class WideDependenciesContract extends DependingJobs {
    private static final int WIDE = Seeds.isLongRun() ? 10_000 : 2_500;
    private static final int LONG_CHAIN = 1_000;
    private static final int PER_TRANSACTION = 1_000;
    private static final int CLAIMED_AT_ONCE = 100;
    private static final int MORE_THAN_ONE_TRANSACTION_TELLS = 250;

    private void add(int count, IntFunction<NewJob<WorkData>> each) {
        for (int from = 0; from < count; from += PER_TRANSACTION) {
            await(jobs.addAll(
                    database,
                    IntStream.range(from, Math.min(count, from + PER_TRANSACTION))
                            .mapToObj(each)
                            .toList()));
        }
    }

    private void assertThatNothingIsLeft() {
        assertThat(rows.under("waits_for")).isEmpty();
        assertThat(rows.under("dependents")).isEmpty();
        assertThat(rows.under("releasing")).isEmpty();
    }

    @Test
    void thousandsOfJobsWaitForOne() {
        await(jobs.add(database, job("a")));
        add(WIDE, i -> mail("m" + i).after(INDEX, "a"));
        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        IntStream.range(0, WIDE).forEach(i -> calls.add(jobs.processor().accept(MAIL)));
        assertThat(calls).noneMatch(CompletableFuture::isDone);

        await(jobs.processor().finish(database, accept()));

        calls.forEach(call -> assertThat(await(call)).isPresent());
        assertThatNothingIsLeft();
    }

    @Test
    void oneJobWaitsForThousands() {
        add(WIDE, i -> job("j" + i));
        String[] ids = IntStream.range(0, WIDE).mapToObj(i -> "j" + i).toArray(String[]::new);
        await(jobs.add(database, mail("m").after(INDEX, ids)));
        CompletableFuture<Optional<Job<WorkData>>> m = jobs.processor().accept(MAIL);
        List<Job<WorkData>> all = new ArrayList<>();
        while (all.size() < WIDE) {
            all.addAll(await(jobs.processor().accept(INDEX, CLAIMED_AT_ONCE, AcceptOptions.nonBlocking())));
        }

        finishSideBySide(all.subList(0, WIDE - 1));
        assertThat(m).isNotDone();
        await(jobs.processor().finish(database, all.get(WIDE - 1)));

        assertThat(await(m)).isPresent();
        assertThatNothingIsLeft();
    }

    private void finishSideBySide(List<Job<WorkData>> all) {
        for (int from = 0; from < all.size(); from += PER_TRANSACTION) {
            List<CompletableFuture<Void>> some =
                    all.subList(from, Math.min(all.size(), from + PER_TRANSACTION)).stream()
                            .map(job -> jobs.processor().finish(database, job))
                            .toList();
            some.forEach(JobsContract::await);
        }
    }

    @Test
    void aFailurePassesOnAlongALongChain() {
        await(jobs.add(database, mail("m0")));
        add(LONG_CHAIN, i -> mail("m" + (i + 1)).after(orFail(MAIL, "m" + i)));
        Job<WorkData> first = await(jobs.processor().accept(MAIL)).orElseThrow();

        await(hand.deal(database, first, Fate.FAILS));

        awaitFinished("m" + LONG_CHAIN);
        assertThat(rows.under("dead", "mail")).hasSize(LONG_CHAIN + 1);
        assertThatNothingIsLeft();
    }

    /** Who fails is taken out of all that it waited for: that is more than one transaction holds. */
    @Test
    void aFailurePassesOnToManyThatWaitForManyEach() {
        String longName = "x".repeat(900);
        String[] ids = IntStream.range(0, 100).mapToObj(i -> longName + i).toArray(String[]::new);
        add(ids.length, i -> job(ids[i]));
        for (int i = 0; i < 90; i++) {
            await(jobs.add(database, mail(longName + i).after(orFail(INDEX, ids))));
        }

        await(hand.deal(database, accept(), Fate.FAILS));

        IntStream.range(0, 90).forEach(i -> awaitFinished(longName + i));
        assertThatNothingIsLeft();
    }

    @Test
    void whatADyingProcessLeavesIsCarriedOnByAnother() {
        await(jobs.add(database, job("a")));
        add(MORE_THAN_ONE_TRANSACTION_TELLS, i -> mail("m" + i).after(orFail(INDEX, "a")));
        await(jobs.remove(database, INDEX, "a")); // this instance processes no jobs, and so leaves the rest alone
        assertThat(rows.under("dead", "mail")).isNotEmpty().hasSizeLessThan(MORE_THAN_ONE_TRANSACTION_TELLS);
        assertThat(rows.under("releasing")).hasSize(1);

        CouchJobs other = node();
        other.maintenance().monitor(INDEX);

        IntStream.range(0, MORE_THAN_ONE_TRANSACTION_TELLS).forEach(i -> awaitFinished("m" + i));
        assertThatNothingIsLeft();
    }

    @Test
    void aProcessOfAnyTypeCarriesOn() {
        node().maintenance().monitor(MAIL);
        await(jobs.add(database, job("a")));
        add(MORE_THAN_ONE_TRANSACTION_TELLS, i -> mail("m" + i).after(orFail(INDEX, "a")));

        await(jobs.remove(database, INDEX, "a"));

        IntStream.range(0, MORE_THAN_ONE_TRANSACTION_TELLS).forEach(i -> awaitFinished("m" + i));
        assertThatNothingIsLeft();
    }

    @Test
    void whoBeginsToWaitForAJobThatWasAddedAgainIsNotTakenForOneOfThoseThatWaitedBefore() {
        await(jobs.add(database, job("a")));
        add(MORE_THAN_ONE_TRANSACTION_TELLS, i -> mail("m" + i).after(orFail(INDEX, "a")));
        await(jobs.remove(database, INDEX, "a"));
        await(jobs.addAll(database, List.of(job("a"), mail("z").after(orFail(INDEX, "a")))));

        node().maintenance().monitor(INDEX);
        IntStream.range(0, MORE_THAN_ONE_TRANSACTION_TELLS).forEach(i -> awaitFinished("m" + i));

        assertThat(await(jobs.getJobState(database, MAIL, "z"))).isEqualTo(JobState.PENDING);
        await(jobs.processor().finish(database, accept()));
        assertThat(await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .hasValueSatisfying(z -> assertThat(z.id()).isEqualTo("z"));
    }

    @Test
    void ofTwoThatFinishAtOnceOneReleasesTheJob() {
        CouchJobs other = node();
        for (int i = 0; i < 10; i++) {
            String m = "m" + i;
            await(jobs.addAll(database, List.of(job("a" + i), job("b" + i), mail(m).after(INDEX, "a" + i, "b" + i))));
            Job<WorkData> a = accept();
            Job<WorkData> b = accept();

            CompletableFuture<Void> first = jobs.processor().finish(database, a);
            CompletableFuture<Void> second = other.processor().finish(database, b);
            await(first);
            await(second);

            assertThat(await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                    .hasValueSatisfying(job -> assertThat(job.id()).isEqualTo(m));
        }
    }

    @Test
    void aJobThatBeginsToWaitForOneThatFinishesMeanwhileRunsAllTheSame() {
        CouchJobs other = node();
        for (int i = 0; i < 10; i++) {
            String m = "m" + i;
            await(jobs.add(database, job("a" + i)));
            Job<WorkData> a = accept();

            CompletableFuture<AddResult> adding = other.add(database, mail(m).after(INDEX, "a" + i));
            CompletableFuture<Void> finishing = jobs.processor().finish(database, a);
            await(adding);
            await(finishing);

            assertThat(await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                    .hasValueSatisfying(job -> assertThat(job.id()).isEqualTo(m));
        }
        assertThatNothingIsLeft();
    }
}
