package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyCycleException;
import dev.couchjobs.DependencyException;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Dependent;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.LinkedJob;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.TooManyDependenciesException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Feature E2: a job may be accepted only when all that it waits for have finished successfully. */
class DependenciesContract extends DependingJobs {
    private static NewJob<WorkData> mail(String jobId, String waitsFor, DependencyPolicy policy) {
        return mail(jobId).after(Dependency.on(INDEX, waitsFor).ifUnsuccessful(policy));
    }

    private void add(NewJob<?>... all) {
        await(jobs.addAll(database, List.of(all)));
    }

    private Optional<Job<WorkData>> tryAcceptMail() {
        return await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
    }

    private void deal(Fate fate) {
        await(hand.deal(database, accept(), fate));
    }

    private String errorOf(String mailId) {
        return Tuple.fromList(rows.value("data", "mail", mailId))
                .getNestedTuple(8)
                .getString(2);
    }

    private JobState mailState(String jobId) {
        return await(jobs.getJobState(database, MAIL, jobId));
    }

    private boolean hasFailed(String mailId) {
        return rows.under("dead", "mail").stream()
                .anyMatch(row -> row.getString(1).equals(mailId));
    }

    private String fateOf(String mailId) {
        if (hasFailed(mailId)) {
            return "fails";
        }
        return tryAcceptMail().map(job -> "runs").orElse("waits");
    }

    private void assertThatNothingIsLeft() {
        assertThat(rows.under("waits_for")).isEmpty();
        assertThat(rows.under("dependents")).isEmpty();
        assertThat(rows.under("releasing")).isEmpty();
        assertThat(rows.under("expected")).isEmpty();
    }

    @Test
    void whoIsPatientIsReleasedThoughTheJobWasAddedInVainAndNotKept() {
        JobType<WorkData, ?> frail =
                INDEX.retention(Retention.of(Duration.ofDays(7)).failed(Duration.ZERO));
        add(job("a"), mail("m", "a", DependencyPolicy.WAIT));
        deal(Fate.IS_CANCELLED);
        add(mail("f"));
        await(hand.deal(database, tryAcceptMail().orElseThrow(), Fate.FAILS));
        add(NewJob.of(frail, WORK).id("a").after(orFail(MAIL, "f")));
        assertThat(stateOf("a")).isEqualTo(JobState.NOT_FOUND);

        add(job("a"));
        deal(Fate.SUCCEEDS);

        assertThat(fateOf("m")).isEqualTo("runs");
        assertThatNothingIsLeft();
    }

    @Test
    void aDependencyThatGoesAfterItsDependentsLeavesNothing() {
        for (DependencyPolicy policy : DependencyPolicy.values()) {
            add(job("a"), mail("m", "a", policy));
            await(jobs.remove(database, MAIL, "m"));
            await(jobs.remove(database, INDEX, "a"));

            assertThatNothingIsLeft();
        }
    }

    /** Begins two transactions that see nothing of each other; the second repeats if the first keeps it from it. */
    private void sideBySide(
            Function<Transaction, CompletableFuture<?>> first, Function<Transaction, CompletableFuture<?>> second) {
        AtomicBoolean isFirstTry = new AtomicBoolean(true);
        database.run(tx -> {
            await(second.apply(tx));
            if (isFirstTry.getAndSet(false)) {
                commit(other -> await(first.apply(other)));
            }
            return true;
        });
    }

    @Test
    void theLastTwoWhoExpectAJobLeaveNothingIfTheyGoAtOnce() {
        add(mail("m", "a", DependencyPolicy.EXPECT), mail("n", "a", DependencyPolicy.EXPECT));

        sideBySide(tx -> jobs.remove(tx, MAIL, "m"), tx -> jobs.remove(tx, MAIL, "n"));

        assertThatNothingIsLeft();
    }

    @Test
    void aDependencyAndItsDependentLeaveNothingIfTheyGoAtOnce() {
        add(job("a"), mail("m", "a", DependencyPolicy.WAIT));
        sideBySide(tx -> jobs.remove(tx, MAIL, "m"), tx -> jobs.remove(tx, INDEX, "a"));
        assertThatNothingIsLeft();

        add(job("a"), mail("m", "a", DependencyPolicy.WAIT));
        sideBySide(tx -> jobs.remove(tx, INDEX, "a"), tx -> jobs.remove(tx, MAIL, "m"));
        assertThatNothingIsLeft();
    }

    @Test
    void aJobIsAcceptedOnlyWhenTheOneItWaitsForHasFinished() {
        add(job("a"), mail("m").after(INDEX, "a"));
        assertThat(tryAcceptMail()).isEmpty();
        Job<WorkData> a = accept();
        assertThat(tryAcceptMail()).isEmpty();

        await(jobs.processor().finish(database, a));

        assertThat(tryAcceptMail()).hasValueSatisfying(m -> assertThat(m.id()).isEqualTo("m"));
        assertThatNothingIsLeft();
    }

    @Test
    void aJobThatWaitsIsPendingAndSaysForWhat() {
        add(job("a"), job("b"), mail("m").after(INDEX, "a", "b"));

        assertThat(mailState("m")).isEqualTo(JobState.PENDING);
        assertThat(missing("m")).containsExactly(Dependency.on(INDEX, "a"), Dependency.on(INDEX, "b"));
        deal(Fate.SUCCEEDS);
        assertThat(missing("m")).containsExactly(Dependency.on(INDEX, "b"));
    }

    private List<Dependency> missing(String mailId) {
        return await(jobs.details().waitsFor(database, MAIL, mailId, PageRequest.of(10)))
                .items();
    }

    @Test
    void theJobsThatWaitForOneAreListedInPages() {
        add(
                job("a"),
                mail("m1").after(INDEX, "a"),
                mail("m2", "a", DependencyPolicy.FAIL),
                mail("m3").after(INDEX, "a"));
        add(mail("m4", "a", DependencyPolicy.IGNORE), job("b"), mail("other").after(INDEX, "b"));
        PageRequest three = PageRequest.of(3);

        Page<Dependent> first = await(jobs.details().dependents(database, INDEX, "a", three));
        Page<Dependent> second = await(jobs.details()
                .dependents(database, INDEX, "a", three.after(first.next().orElseThrow())));

        assertThat(first.items()).hasSize(3);
        assertThat(second).extracting(Page::next).isEqualTo(Optional.empty());
        assertThat(Stream.of(first, second).flatMap(page -> page.items().stream()))
                .containsExactlyInAnyOrder(
                        new Dependent(MAIL.name(), "m1", DependencyPolicy.WAIT),
                        new Dependent(MAIL.name(), "m2", DependencyPolicy.FAIL),
                        new Dependent(MAIL.name(), "m3", DependencyPolicy.WAIT),
                        new Dependent(MAIL.name(), "m4", DependencyPolicy.IGNORE));
        assertThatThrownBy(() -> jobs.details()
                        .dependents(
                                database, INDEX, "b", three.after(first.next().orElseThrow())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(await(jobs.details().dependents(database, MAIL, "m1", three)).items())
                .isEmpty();
    }

    @Test
    void whatAJobWaitsForIsListedInPages() {
        List<String> ids = List.of("a", "a ", "a b", "ab", "b");
        ids.forEach(id -> add(job(id)));
        add(mail("a"), mail("m").after(INDEX, ids.toArray(String[]::new)).after(MAIL, "a"));
        PageRequest two = PageRequest.of(2);

        Page<Dependency> first = await(jobs.details().waitsFor(database, MAIL, "m", two));
        Page<Dependency> second = await(jobs.details()
                .waitsFor(database, MAIL, "m", two.after(first.next().orElseThrow())));
        Page<Dependency> third = await(jobs.details()
                .waitsFor(database, MAIL, "m", two.after(second.next().orElseThrow())));

        assertThat(Stream.of(first, second, third).flatMap(page -> page.items().stream()))
                .extracting(Dependency::toString)
                .containsExactly("index/a", "index/a ", "index/a b", "index/ab", "index/b", "mail/a");
        PageRequest rest = two.after(third.next().orElseThrow());
        assertThat(await(jobs.details().waitsFor(database, MAIL, "m", rest)))
                .isEqualTo(new Page<>(List.of(), Optional.empty()));
        assertThat(await(jobs.details().waitsFor(database, MAIL, "never", two)).items())
                .isEmpty();
        assertThatThrownBy(() -> jobs.details().waitsFor(database, MAIL, "a", rest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unchanged");
    }

    @Test
    void theStatesOfDependenciesAreListedForSomeTypes() {
        JobType<WorkData, Void> secret = JobType.of("jobs", WorkData.class);
        await(jobs.types().setTypeTimeout(database, secret, Duration.ofSeconds(30)));
        await(jobs.add(database, secret, "s1", new WorkData(1)));
        await(jobs.add(database, secret, "s2", new WorkData(1)));
        add(job("a"), job("b"), job("c"), mail("x"));
        add(mail("m").after(INDEX, "a", "b", "c").after(secret, "s1", "s2").after(MAIL, "x"));
        await(jobs.control().cancel(database, INDEX, "b", "not wanted"));
        await(jobs.remove(database, INDEX, "c"));

        List<LinkedJob> listed =
                pages(page -> jobs.details().dependencyStates(database, MAIL, "m", type -> !type.equals("jobs"), page));

        assertThat(listed)
                .extracting(one -> one.typeName() + "/" + one.jobId() + " " + one.state() + " " + one.outcome())
                .containsExactly(
                        "index/a PENDING Optional.empty",
                        "index/b FINISHED Optional[CANCELLED]",
                        "index/c NOT_FOUND Optional.empty",
                        "mail/x PENDING Optional.empty");
        assertThat(await(jobs.details().dependencyStates(database, MAIL, "m", "jobs"::equals, PageRequest.of(5)))
                        .items())
                .extracting(LinkedJob::jobId)
                .containsExactly("s1", "s2");
        assertThat(await(jobs.details().dependencyStates(database, MAIL, "m", type -> false, PageRequest.of(1))))
                .isEqualTo(new Page<>(List.of(), Optional.empty()));
    }

    @Test
    void theStatesOfDependentsAreListedForSomeTypes() {
        JobType<WorkData, Void> secret = JobType.of("letters", WorkData.class);
        await(jobs.types().setTypeTimeout(database, secret, Duration.ofSeconds(30)));
        add(job("a"));
        for (int i = 0; i < 5; i++) {
            await(jobs.add(
                    database, NewJob.of(secret, new WorkData(i)).id("s" + i).after(INDEX, "a")));
            add(mail("m" + i, "a", i % 2 == 0 ? DependencyPolicy.WAIT : DependencyPolicy.IGNORE));
        }

        List<LinkedJob> listed = pages(
                page -> jobs.details().dependentStates(database, INDEX, "a", type -> !type.equals("letters"), page));

        assertThat(listed).extracting(LinkedJob::jobId).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4");
        assertThat(listed).allSatisfy(one -> {
            assertThat(one.state()).isEqualTo(JobState.PENDING);
            assertThat(one.isBlocked()).isTrue();
        });
    }

    /** {@return what pages of one job list, whose continuations name what was listed last} */
    private List<LinkedJob> pages(Function<PageRequest, CompletableFuture<Page<LinkedJob>>> listing) {
        List<LinkedJob> all = new ArrayList<>();
        PageRequest request = PageRequest.of(1);
        Page<LinkedJob> page = await(listing.apply(request));
        all.addAll(page.items());
        while (page.next().isPresent()) {
            String next = page.next().get();
            String readable = new String(Base64.getUrlDecoder().decode(next), StandardCharsets.ISO_8859_1);
            assertThat(readable).contains(all.get(all.size() - 1).jobId());
            page = await(listing.apply(request.after(next)));
            all.addAll(page.items());
        }
        return all;
    }

    @Test
    void theLastOfSeveralReleasesAJob() {
        add(job("a"), job("b"), job("c"), mail("m").after(INDEX, "a", "b", "c"));
        for (int i = 0; i < 3; i++) {
            assertThat(tryAcceptMail()).isEmpty();
            deal(Fate.SUCCEEDS);
        }
        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void severalThatFinishInOneTransactionReleaseAJob() {
        add(job("a"), job("b"), mail("m").after(INDEX, "a", "b"));
        Job<WorkData> a = accept();
        Job<WorkData> b = accept();

        commit(tx -> {
            CompletableFuture<Void> first = jobs.processor().finish(tx, a);
            await(jobs.processor().finish(tx, b));
            await(first);
        });

        assertThat(tryAcceptMail()).isPresent();
        assertThatNothingIsLeft();
    }

    @Test
    void aJobIsReleasedInTheTransactionThatFinishesItsDependencyOrNotAtAll() {
        add(job("a"), mail("m").after(INDEX, "a"));
        Job<WorkData> a = accept();

        assertThatThrownBy(() -> database.run(tx -> {
                    await(jobs.processor().finish(tx, a));
                    throw new IllegalStateException("changed my mind");
                }))
                .hasMessageContaining("changed my mind");
        assertThat(tryAcceptMail()).isEmpty();

        await(jobs.processor().finish(database, a));
        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aJobKeepsItsScheduledTimeWhileItWaits() {
        SettableClock clock = new SettableClock(NOON);
        CouchJobs node = node(clock);
        await(node.addAll(
                database, List.of(job("a"), mail("m").after(INDEX, "a").at(NOON.plusSeconds(10)))));
        deal(Fate.SUCCEEDS);

        assertThat(await(node.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isEmpty();
        clock.advance(Duration.ofSeconds(10));
        assertThat(await(node.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void aJobWhoseDependencyRunsOnceMoreWaitsForThatToo() {
        add(job("a"), mail("m").after(INDEX, "a"));
        Job<WorkData> a = accept();
        await(jobs.processor().resubmit(database, a));
        await(jobs.processor().finish(database, a));
        assertThat(tryAcceptMail()).isEmpty();

        deal(Fate.SUCCEEDS);

        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aDependencyOfWhichNothingIsKeptReleasesAJob() {
        JobType<WorkData, ?> brief = INDEX.retention(Retention.of(Duration.ZERO));
        await(jobs.addAll(
                database, List.of(NewJob.of(brief, WORK).id("a"), mail("m").after(brief, "a"))));

        await(jobs.processor()
                .finish(
                        database,
                        await(jobs.processor().accept(brief, AcceptOptions.nonBlocking()))
                                .orElseThrow()));

        assertThat(stateOf("a")).isEqualTo(JobState.NOT_FOUND);
        assertThat(tryAcceptMail()).isPresent();
    }

    @ParameterizedTest(name = "{0} when its dependency {1} with policy {2}")
    @CsvSource({
        "runs,SUCCEEDS,FAIL", "runs,SUCCEEDS,WAIT", "runs,SUCCEEDS,EXPECT", "runs,SUCCEEDS,IGNORE",
        "fails,FAILS,FAIL", "waits,FAILS,WAIT", "waits,FAILS,EXPECT", "runs,FAILS,IGNORE",
        "fails,IS_CANCELLED,FAIL", "waits,IS_CANCELLED,WAIT", "waits,IS_CANCELLED,EXPECT", "runs,IS_CANCELLED,IGNORE",
        "fails,IS_REMOVED,FAIL", "waits,IS_REMOVED,WAIT", "waits,IS_REMOVED,EXPECT", "runs,IS_REMOVED,IGNORE"
    })
    void aJobThatWaits(String then, Fate fate, DependencyPolicy policy) {
        add(job("a"), mail("m", "a", policy));

        deal(fate);

        assertThat(fateOf("m")).isEqualTo(then);
        if (!then.equals("waits")) {
            assertThatNothingIsLeft();
        }
    }

    @ParameterizedTest(name = "{0} when its dependency {1} before it is added, with policy {2}")
    @CsvSource({
        "runs,SUCCEEDS,FAIL", "runs,SUCCEEDS,WAIT", "runs,SUCCEEDS,EXPECT", "runs,SUCCEEDS,IGNORE",
        "fails,FAILS,FAIL", "waits,FAILS,WAIT", "waits,FAILS,EXPECT", "runs,FAILS,IGNORE",
        "fails,IS_CANCELLED,FAIL", "waits,IS_CANCELLED,WAIT", "waits,IS_CANCELLED,EXPECT", "runs,IS_CANCELLED,IGNORE",
        "waits,IS_REMOVED,EXPECT", "runs,IS_REMOVED,IGNORE"
    })
    void aJobThatComesTooLate(String then, Fate fate, DependencyPolicy policy) {
        add(job("a"));
        deal(fate);

        add(job("b"), mail("m", "a", policy).after(Dependency.on(INDEX, "b").ifUnsuccessful(DependencyPolicy.IGNORE)));
        deal(Fate.SUCCEEDS);

        assertThat(fateOf("m")).isEqualTo(then);
        if (!then.equals("waits")) {
            assertThatNothingIsLeft();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"FAILS", "IS_CANCELLED", "IS_REMOVED"})
    void aPatientJobRunsOnceItsDependencySucceedsAfterAll(Fate fate) {
        add(job("a"), mail("m", "a", DependencyPolicy.WAIT));
        deal(fate);
        add("a", 2);
        assertThat(tryAcceptMail()).isEmpty();

        deal(Fate.SUCCEEDS);

        assertThat(tryAcceptMail()).isPresent();
        assertThatNothingIsLeft();
    }

    @Test
    void whatWasNeverPaidIsNotShippedAlsoWhenDeadLettersAreSentAgain() {
        add(job("pay"), mail("ship").after(INDEX, "pay"));
        deal(Fate.FAILS);

        assertThat(await(jobs.deadLetters().retryAll(MAIL))).isZero();
        assertThat(tryAcceptMail()).isEmpty();
        assertThat(missing("ship")).containsExactly(Dependency.on(INDEX, "pay"));

        assertThat(await(jobs.deadLetters().retryAll(INDEX))).isEqualTo(1);
        deal(Fate.SUCCEEDS);
        assertThat(tryAcceptMail()).isPresent();
        assertThatNothingIsLeft();
    }

    @Test
    void whatIsAddedAfterItsPaymentFailedIsNotShippedEither() {
        add(job("pay"));
        deal(Fate.FAILS);

        add(mail("ship").after(INDEX, "pay"));

        assertThat(await(jobs.deadLetters().retryAll(MAIL))).isZero();
        assertThat(tryAcceptMail()).isEmpty();
    }

    @Test
    void aJobThatFailedBecauseOfAnotherRunsWhenItIsSentAgain() {
        add(job("a"), mail("m").after(orFail(INDEX, "a")));
        deal(Fate.FAILS);

        assertThat(await(jobs.deadLetters().retryAll(MAIL))).isEqualTo(1);

        assertThat(tryAcceptMail()).isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = DependencyPolicy.class,
            names = {"WAIT", "FAIL"})
    void aDependencyHasToBeThereUnlessItIsExpected(DependencyPolicy policy) {
        assertThat(failureOf(jobs.add(database, mail("m", "never", policy))))
                .isInstanceOf(DependencyNotFoundException.class);
        assertThat(mailState("m")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aPatientJobWaitsForOneThatIsAddedLater() {
        add(mail("m", "a", DependencyPolicy.EXPECT), mail("n", "a", DependencyPolicy.EXPECT));
        add("a", 1);
        assertThat(tryAcceptMail()).isEmpty();

        deal(Fate.SUCCEEDS);

        assertThat(tryAcceptMail()).isPresent();
        assertThat(tryAcceptMail()).isPresent();
        assertThatNothingIsLeft();
    }

    @Test
    void aJobThatFailsBecauseOfAnotherNamesIt() {
        add(job("a"), mail("m").after(orFail(INDEX, "a")), mail("n").after(orFail(MAIL, "m")));
        jobs.maintenance().monitor(MAIL);

        deal(Fate.FAILS);
        awaitFinished("n");

        assertThat(errorOf("m")).contains("index/a").contains("has failed");
        assertThat(errorOf("n")).contains("mail/m").contains("has failed");
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void aJobThatFailsBecauseOfAnotherIsKeptAsItsOwnTypeSays() {
        JobType<WorkData, ?> brief = MAIL.retention(Retention.of(Duration.ZERO));
        add(
                job("a"),
                NewJob.of(brief, WORK).id("m").after(orFail(INDEX, "a")),
                mail("n").after(orFail(INDEX, "a")));

        deal(Fate.FAILS);

        assertThat(mailState("m")).isEqualTo(JobState.NOT_FOUND);
        assertThat(mailState("n")).isEqualTo(JobState.FINISHED);
        assertThat(rows.under("retire", "mail")).hasSize(1);
    }

    @Test
    void aJobThatFailedBecauseOfAnotherRunsWhenItIsAddedAgain() {
        add(job("a"), mail("m").after(orFail(INDEX, "a")));
        deal(Fate.FAILS);

        add(mail("m"));

        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aJobThatWaitsAndIsAddedAgainGoesOnWaiting() {
        add(job("a"), job("b"), mail("m").after(INDEX, "a"));
        await(jobs.add(database, MAIL, "m", new WorkData(2)));
        assertThat(tryAcceptMail()).isEmpty();
        add(mail("m").after(INDEX, "b"));

        deal(Fate.SUCCEEDS);
        assertThat(tryAcceptMail()).isEmpty();
        deal(Fate.SUCCEEDS);

        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aPendingJobThatIsToWaitForOthersLeavesTheQueue() {
        add(job("a"), mail("m"));

        add(mail("m").after(INDEX, "a"));

        assertThat(tryAcceptMail()).isEmpty();
        deal(Fate.SUCCEEDS);
        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aJobThatIsRemovedWhileItWaitsLeavesNothing() {
        add(job("a"), job("b"), mail("m").after(INDEX, "a", "b"));

        assertThat(await(jobs.remove(database, MAIL, "m"))).isTrue();

        assertThatNothingIsLeft();
        deal(Fate.SUCCEEDS);
        deal(Fate.SUCCEEDS);
        assertThat(mailState("m")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aJobThatIsRemovedAndAddedAgainInOneTransactionWaitsForWhatItWasAddedWith() {
        add(job("a"), job("b"), mail("m").after(INDEX, "a"));

        commit(tx -> {
            CompletableFuture<Boolean> removed = jobs.remove(tx, MAIL, "m");
            await(jobs.add(tx, mail("m").after(INDEX, "b")));
            await(removed);
        });

        assertThat(missing("m")).containsExactly(Dependency.on(INDEX, "b"));
        deal(Fate.SUCCEEDS);
        assertThat(tryAcceptMail()).isEmpty();
        deal(Fate.SUCCEEDS);
        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aGraphIsAddedInOneTransactionWithoutWaitingInBetween() {
        commit(tx -> {
            CompletableFuture<AddResult> a = jobs.add(tx, job("a"));
            CompletableFuture<AddResult> m = jobs.add(tx, mail("m").after(INDEX, "a"));
            CompletableFuture<AddResult> n =
                    jobs.add(tx, mail("n").after(INDEX, "a").after(MAIL, "m"));
            await(CompletableFuture.allOf(a, m, n));
        });

        deal(Fate.SUCCEEDS);
        Job<WorkData> m = tryAcceptMail().orElseThrow();
        assertThat(m.id()).isEqualTo("m");
        assertThat(tryAcceptMail()).isEmpty();
        await(jobs.processor().finish(database, m));
        assertThat(tryAcceptMail()).isPresent();
    }

    @Test
    void aDependencyThatFinishesInTheTransactionThatAddsAJobReleasesIt() {
        add("a", 1);
        Job<WorkData> a = accept();

        commit(tx -> {
            CompletableFuture<AddResult> added = jobs.add(tx, mail("m").after(INDEX, "a"));
            await(jobs.processor().finish(tx, a));
            await(added);
        });

        assertThat(tryAcceptMail()).isPresent();
        assertThatNothingIsLeft();
    }

    @Test
    void jobsThatWaitForEachOtherCanBeRemovedInOneTransaction() {
        add(mail("m", "a", DependencyPolicy.EXPECT));
        add(mail("n").after(MAIL, "m"));
        add(job("a").after(MAIL, "n"));

        commit(tx -> {
            CompletableFuture<Boolean> first = jobs.remove(tx, INDEX, "a");
            CompletableFuture<Boolean> second = jobs.remove(tx, MAIL, "m");
            await(jobs.remove(tx, MAIL, "n"));
            await(first);
            await(second);
        });

        assertThat(rows.under("waits_for")).isEmpty();
        assertThat(rows.under("dependents")).isEmpty();
        assertThat(rows.under("data")).isEmpty();
    }

    @Test
    void aJobCannotWaitForOneThatIsNotThere() {
        assertThat(failureOf(jobs.add(database, mail("m").after(INDEX, "a"))))
                .isInstanceOf(DependencyNotFoundException.class)
                .hasMessageContaining("index/a");

        assertThat(mailState("m")).isEqualTo(JobState.NOT_FOUND);
        assertThatNothingIsLeft();
    }

    @Test
    void aGraphFromWhichAJobIsMissingIsNotAddedAtAll() {
        List<NewJob<WorkData>> graph = List.of(
                job("a"),
                mail("m").after(INDEX, "a"),
                mail("n").after(INDEX, "b"),
                mail("o").after(MAIL, "n"));

        assertThat(failureOf(jobs.addAll(database, graph)))
                .isInstanceOf(DependencyNotFoundException.class)
                .hasMessageContaining("index/b");

        assertThat(rows.under("data")).isEmpty();
        assertThatNothingIsLeft();
    }

    @Test
    void aTransactionInWhichAJobCannotWaitCommitsNothing() {
        add("a", 1);

        assertThatThrownBy(() -> commit(tx -> {
                    tx.set(key("mine"), new byte[0]);
                    failureOf(jobs.add(tx, mail("m").after(INDEX, "a", "b")));
                }))
                .isInstanceOf(RuntimeException.class);

        assertThat(isWritten("mine")).isFalse();
        assertThatNothingIsLeft();
    }

    @Test
    void aJobCannotWaitForItself() {
        assertThatThrownBy(() -> jobs.add(database, mail("m").after(MAIL, "m")))
                .isInstanceOf(DependencyCycleException.class)
                .hasMessageContaining("mail/m");
    }

    @Test
    void twoJobsCannotWaitForEachOther() {
        add(mail("m", "a", DependencyPolicy.EXPECT));

        assertThat(failureOf(jobs.add(database, job("a").after(MAIL, "m"))))
                .isInstanceOf(DependencyCycleException.class)
                .hasMessageContaining("index/a")
                .hasMessageContaining("mail/m");
    }

    @Test
    void aJobCannotWaitForTooManyOthers() {
        String[] many = IntStream.range(0, 10_001).mapToObj(i -> "j" + i).toArray(String[]::new);

        assertThatThrownBy(() -> jobs.add(database, mail("m").after(INDEX, many)))
                .isInstanceOf(TooManyDependenciesException.class)
                .hasMessageContaining("10001");
    }

    @Test
    void aRunningJobCannotBeginToWait() {
        add(job("a"), mail("m"));
        Job<WorkData> running = tryAcceptMail().orElseThrow();

        assertThat(failureOf(jobs.add(database, mail("m").after(INDEX, "a"))))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("running");

        await(jobs.processor().finish(database, running));
        assertThatNothingIsLeft();
    }
}
