package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Renewal;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Claims for workers that are no process of couch-jobs: several at once, restored by type, id and lock, renewed
 * together, and released.
 */
class RemoteClaimsContract extends JobsContract {
    private static final JobType<WorkData, String> WITH_RESULT = JobType.of(INDEX.name(), WorkData.class, String.class);
    private static final AcceptOptions AT_ONCE = AcceptOptions.nonBlocking();

    /** The claim as another server gets it, which knows no more of it than type, id and lock. */
    private Job<WorkData> restored(Job<WorkData> claim) {
        return await(node().processor().claim(database, INDEX, claim.id(), claim.lock()));
    }

    private JobHaltedException haltOf(Job<WorkData> claim) {
        return haltOf(jobs.processor().claim(database, INDEX, claim.id(), claim.lock()));
    }

    private static JobHaltedException haltOf(CompletableFuture<?> verb) {
        Throwable failure = failureOf(verb);
        assertThat(failure).isInstanceOf(JobHaltedException.class);
        return (JobHaltedException) failure;
    }

    private List<Job<WorkData>> acceptSome(int max) {
        return await(jobs.processor().accept(INDEX, max, AT_ONCE));
    }

    private static List<String> ids(List<Job<WorkData>> claims) {
        return claims.stream().map(Job::id).toList();
    }

    private List<JobAttempt> attemptsAt(String id) {
        return await(jobs.details().attempts(database, INDEX, id));
    }

    // A claim without its data

    @Test
    void aClaimThatWasReadWithoutItsDataIsRenewedAndEnded() {
        Job<WorkData> claim = accepted("j1", 1);
        ClaimKey key = new ClaimKey(INDEX, "j1", claim.lock());

        Job<?> bare = await(node().processor().claim(database, key));

        assertThat(bare).isEqualTo(claim);
        assertThat(bare.claim()).isEqualTo(claim.claim());
        assertThatThrownBy(bare::data)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("without its data");
        Job<?> renewed = await(node().processor().update(database, bare));
        assertThatThrownBy(renewed::data).isInstanceOf(IllegalStateException.class);
        await(node().processor().finish(database, renewed));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(haltOf(jobs.processor().claim(database, key))).isInstanceOf(JobAlreadyFinishedException.class);
    }

    // accept of several

    @Test
    void severalJobsAreClaimedAtOnceInTheirOrderAndNoMoreThanWanted() {
        addMany(5);

        List<Job<WorkData>> claims = acceptSome(3);

        assertThat(ids(claims)).containsExactly("j0", "j1", "j2");
        assertThat(claims).extracting(Job::lock).doesNotHaveDuplicates();
        assertThat(claims).extracting(Job::data).containsExactly(new WorkData(0), new WorkData(1), new WorkData(2));
        assertThat(stateOf("j2")).isEqualTo(JobState.RUNNING);
        assertThat(stateOf("j3")).isEqualTo(JobState.PENDING);
        assertThat(ids(acceptSome(100))).containsExactly("j3", "j4");
        assertThat(acceptSome(100)).isEmpty();
    }

    @Test
    void aCallForSeveralWaitsOnlyForTheFirst() {
        CompletableFuture<List<Job<WorkData>>> waiting =
                jobs.processor().accept(INDEX, 10, AcceptOptions.defaults().timeout(LONG));
        assertThat(tryAccept()).isEmpty();
        assertThat(waiting).isNotDone();

        add("j1", 1);

        assertThat(ids(await(waiting))).containsExactly("j1");
    }

    @Test
    void attemptsNameThoseForWhomTheyWereClaimed() {
        AcceptOptions waiting = AcceptOptions.defaults();
        CompletableFuture<List<Job<WorkData>>> some = jobs.processor().accept(INDEX, 2, waiting.by("one"));
        CompletableFuture<List<Job<WorkData>>> others = jobs.processor().accept(INDEX, 3, waiting.by("other"));
        CompletableFuture<List<Job<WorkData>>> own = jobs.processor().accept(INDEX, 1, waiting);

        addMany(6); // one transaction may claim for all three calls

        assertThat(await(some)).allSatisfy(job -> assertThat(byOf(job)).isEqualTo("one"));
        assertThat(await(others)).allSatisfy(job -> assertThat(byOf(job)).isEqualTo("other"));
        assertThat(byOf(await(own).get(0))).isNotIn("one", "other");
    }

    private String byOf(Job<WorkData> claim) {
        return attemptsAt(claim.id()).get(0).by();
    }

    @Test
    void aCallForSeveralIsEmptyWhenItsTimeIsUp() {
        assertThat(await(jobs.processor()
                        .accept(INDEX, 10, AcceptOptions.defaults().timeout(SHORTLY))))
                .isEmpty();
    }

    @Test
    void callsThatWaitAreServedInTheirOrder() {
        CompletableFuture<List<Job<WorkData>>> first = jobs.processor().accept(INDEX, 2, AcceptOptions.defaults());
        CompletableFuture<List<Job<WorkData>>> second = jobs.processor().accept(INDEX, 2, AcceptOptions.defaults());
        assertThat(tryAccept()).isEmpty();

        addMany(3);

        assertThat(ids(await(first))).containsExactly("j0", "j1");
        assertThat(ids(await(second))).containsExactly("j2");
    }

    @Test
    void aCancelledCallForSeveralKeepsNone() {
        CompletableFuture<List<Job<WorkData>>> cancelled = jobs.processor().accept(INDEX, 10, AcceptOptions.defaults());
        assertThat(tryAccept()).isEmpty();
        cancelled.cancel(false);

        addMany(3);

        List<String> claimed = new ArrayList<>();
        while (claimed.size() < 3) {
            claimed.add(await(jobs.processor().accept(INDEX)).orElseThrow().id());
        }
        assertThat(claimed).containsExactlyInAnyOrder("j0", "j1", "j2");
    }

    @Test
    void aLimitHoldsForClaimsOfSeveral() {
        await(jobs.limits().setTotal(database, INDEX, 2));
        addMany(5);

        assertThat(acceptSome(100)).hasSize(2);
        assertThat(acceptSome(100)).isEmpty();
    }

    @Test
    void aJobOnWhichAClaimHasExpiredIsClaimedAlone() {
        add("suspect", 1);
        Subscription<WorkData> subscription = subscribe("suspect");
        accept();
        awaitSilence(INDEX, List.of(subscription));
        addMany(3);
        await(jobs.control().reprioritise(database, INDEX, "suspect", 1));

        assertThat(ids(acceptSome(10))).containsExactly("suspect");
        assertThat(ids(acceptSome(10))).containsExactly("j0", "j1", "j2");
    }

    @Test
    void aNumberOfJobsThatCannotBeIsRefused() {
        for (int max : new int[] {-1, 0, 101}) {
            assertThatThrownBy(() -> jobs.processor().accept(INDEX, max, AT_ONCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 100");
        }
    }

    // claim

    @Test
    void aRestoredClaimIsTheClaimItself() {
        Instant noon = Instant.parse("2024-02-29T12:00:00Z");
        addAt("j1", 1, noon);
        Job<WorkData> claim = accept();

        Job<WorkData> restored = restored(claim);

        assertThat(restored).isEqualTo(claim).hasToString(claim.toString());
        assertThat(restored.type()).isEqualTo(INDEX);
        assertThat(restored.id()).isEqualTo("j1");
        assertThat(restored.lock()).isEqualTo(claim.lock());
        assertThat(restored.scheduledTime()).contains(noon);
        assertThat(restored.data()).isEqualTo(new WorkData(1));
        assertThat(restored.isResubmitted()).isFalse();
    }

    @Test
    void aRestoredClaimHasLargeDataAndShowsWhetherTheJobIsResubmitted() {
        JobType<String, ?> text = JobType.of(INDEX.name(), String.class);
        String large = "x".repeat(200_000);
        await(jobs.add(database, text, "j1", large));
        Job<String> claim = await(jobs.processor().accept(text)).orElseThrow();
        await(jobs.processor().resubmit(database, claim));

        Job<String> restored = await(node().processor().claim(database, text, "j1", claim.lock()));

        assertThat(restored.data()).isEqualTo(large);
        assertThat(restored.isResubmitted()).isTrue();
    }

    @Test
    void aRestoredClaimUpdatesAndFinishesItsJob() {
        Job<WorkData> claim = accepted("j1", 1);

        Job<WorkData> updated = await(jobs.processor().update(database, restored(claim), new WorkData(2)));
        await(jobs.processor().finish(database, restored(updated), new WorkData(3)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(3);
    }

    @Test
    void aRestoredClaimEndsWithAResult() {
        Job<WorkData> claim = accepted("j1", 1);

        await(jobs.processor().finishWithResult(database, WITH_RESULT, restored(claim), "done"));

        assertThat(jobs.result(WITH_RESULT, "j1", LONG)).isEqualTo("done");
    }

    @Test
    void aRestoredClaimFailsByTheRetryPolicyOfItsJob() {
        RetryPolicy twice = RetryPolicy.standard().attempts(2).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1));
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("j1").retry(twice)));

        assertThat(await(jobs.processor().fail(database, restored(accept()), new Exception("first"))))
                .isEqualTo(JobState.PENDING);
        assertThat(await(jobs.processor().fail(database, restored(accept()), new Exception("second"))))
                .isEqualTo(JobState.FINISHED);
    }

    @Test
    void aRestoredClaimSnoozesCancelsAndLogs() {
        Job<WorkData> claim = accepted("j1", 1);
        assertThat(await(jobs.processor().log(database, restored(claim), "entry")))
                .isEqualTo(1);
        await(jobs.processor().snooze(database, restored(claim), Duration.ZERO));
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);

        await(jobs.processor().cancel(database, restored(accept()), "not wanted"));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aRestoredClaimOfALimitedTypeGivesItsPlaceBack() {
        await(jobs.limits().setTotal(database, INDEX, 1));
        await(jobs.limits().set(database, INDEX, "key", 1));
        for (int i = 0; i < 2; i++) {
            await(jobs.add(
                    database, NewJob.of(INDEX, new WorkData(i)).id("j" + i).limitKey("key")));
        }

        await(jobs.processor().finish(database, restored(accept())));

        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void aClaimIsRestoredAndItsJobFinishedInOneTransaction() {
        Job<WorkData> claim = accepted("j1", 1);

        await(database.runAsync(tx -> {
            tx.set(key("mine"), new byte[] {1});
            return jobs.processor()
                    .claim(tx, INDEX, claim.id(), claim.lock())
                    .thenCompose(restored -> jobs.processor().finish(tx, restored));
        }));

        assertThat(isWritten("mine")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void anotherLockRestoresNothing() {
        Job<WorkData> claim = accepted("j1", 1);

        JobHaltedException halt = haltOf(jobs.processor().claim(database, INDEX, "j1", UUID.randomUUID()));

        assertThat(halt.typeName()).isEqualTo("index");
        assertThat(halt.jobId()).isEqualTo("j1");
        assertThat(halt.isCancelled()).isFalse();
        assertThat(halt.isRemoved()).isFalse();
        await(jobs.processor().update(database, claim));
    }

    @Test
    void theEndOfAClaimSaysWhatItWas() {
        Job<WorkData> finished = accepted("finished", 1);
        await(jobs.processor().finish(database, finished));
        assertThat(haltOf(finished)).isInstanceOf(JobAlreadyFinishedException.class);

        Job<WorkData> cancelled = accepted("cancelled", 1);
        await(jobs.control().cancel(database, INDEX, "cancelled", "not wanted"));
        assertThat(haltOf(cancelled).isCancelled()).isTrue();
        assertThat(haltOf(cancelled)).hasMessageContaining("not wanted");

        Job<WorkData> removed = accepted("removed", 1);
        await(jobs.remove(database, INDEX, "removed"));
        assertThat(haltOf(removed).isRemoved()).isTrue();
        assertThat(haltOf(removed).isCancelled()).isFalse();

        Job<WorkData> failed = accepted("failed", 1);
        await(jobs.processor().fail(database, failed, new Exception("failed")));
        assertThat(haltOf(failed)).hasMessageContaining("failed");
        assertThat(haltOf(failed)).isNotInstanceOf(JobAlreadyFinishedException.class);
    }

    @Test
    void aClaimThatHasExpiredIsNotRestored() {
        Job<WorkData> claim = accepted("j1", 1);
        awaitSilence(INDEX, List.of(subscribe("j1")));

        assertThat(haltOf(claim).isCancelled()).isFalse();
        Job<WorkData> next = accept();
        assertThat(haltOf(claim).isCancelled()).isFalse();
        await(jobs.processor().update(database, restored(next)));
    }

    @Test
    void aFailedRestorationLeavesTheTransactionToTheCaller() {
        add("j1", 1);

        await(database.runAsync(tx -> {
            tx.set(key("mine"), new byte[] {1});
            return jobs.processor().claim(tx, INDEX, "j1", UUID.randomUUID()).handle((claim, error) -> error);
        }));

        assertThat(isWritten("mine")).isTrue();
    }

    // updateAll

    @Test
    void severalClaimsOfSeveralTypesAreRenewedTogether() {
        addMany(100);
        await(jobs.add(database, MAIL, "mail", new WorkData(1)));
        List<Job<?>> claims = new ArrayList<>(acceptSome(100));
        claims.add(await(jobs.processor().accept(MAIL)).orElseThrow());

        List<Renewal> renewals = await(jobs.processor().updateAll(database, claims));

        assertThat(renewals)
                .hasSize(101)
                .allSatisfy(renewal -> assertThat(renewal.isRenewed()).isTrue());
        assertThat(renewals).extracting(Renewal::job).isEqualTo(claims);
    }

    @Test
    void renewedClaimsOutliveTheirFirstLease() {
        addMany(3);
        List<Job<WorkData>> claims = acceptSome(3);
        Subscription<WorkData> silent = subscribe("j2");
        await(jobs.types().setTypeTimeout(database, INDEX, Duration.ofSeconds(3)));
        node().maintenance().monitor(INDEX);

        CompletableFuture<?> expired = silent.awaitEvent(JobState.PENDING, LONG);
        while (!expired.isDone()) {
            await(jobs.processor().updateAll(database, claims.subList(0, 2)));
        }
        longLeases(INDEX);

        await(jobs.processor().finish(database, claims.get(0)));
        await(jobs.processor().finish(database, claims.get(1)));
        assertThat(haltOf(claims.get(2))).hasMessageContaining("no longer held");
    }

    @Test
    void oneLostClaimDoesNotDisturbTheOthers() {
        addMany(6);
        List<Job<WorkData>> claims = acceptSome(6);
        await(jobs.processor().finish(database, claims.get(1)));
        await(jobs.control().cancel(database, INDEX, "j2", "not wanted"));
        await(jobs.remove(database, INDEX, "j3"));
        await(jobs.processor().release(database, claims.get(4)));

        List<Renewal> renewals = await(jobs.processor().updateAll(database, claims));

        assertThat(renewals).extracting(Renewal::job).isEqualTo(claims);
        assertThat(renewals).extracting(Renewal::isRenewed).containsExactly(true, false, false, false, false, true);
        assertThat(halt(renewals, 1)).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(halt(renewals, 2).isCancelled()).isTrue();
        assertThat(halt(renewals, 3).isRemoved()).isTrue();
        assertThat(halt(renewals, 4).isCancelled() || halt(renewals, 4).isRemoved())
                .isFalse();
        assertThat(renewals.get(0).halt()).isEmpty();
    }

    private static JobHaltedException halt(List<Renewal> renewals, int i) {
        return renewals.get(i).halt().orElseThrow();
    }

    @Test
    void claimsAreRestoredAndRenewedInOneTransactionAlthoughOneIsLost() {
        addMany(3);
        List<Job<WorkData>> claims = acceptSome(3);
        await(jobs.remove(database, INDEX, "j1"));

        List<Renewal> renewals = await(database.runAsync(tx -> {
            List<Job<?>> held = new ArrayList<>();
            List<CompletableFuture<?>> restored = new ArrayList<>();
            for (Job<WorkData> claim : claims) {
                restored.add(jobs.processor()
                        .claim(tx, INDEX, claim.id(), claim.lock())
                        .handle((job, error) -> job != null && held.add(job)));
            }
            return CompletableFuture.allOf(restored.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(done -> jobs.processor().updateAll(tx, held));
        }));

        assertThat(renewals).extracting(renewal -> renewal.job().id()).containsExactlyInAnyOrder("j0", "j2");
        assertThat(renewals)
                .allSatisfy(renewal -> assertThat(renewal.isRenewed()).isTrue());
    }

    @Test
    void aRenewalShowsWhetherTheJobIsResubmitted() {
        addMany(2);
        List<Job<WorkData>> claims = acceptSome(2);
        await(jobs.add(database, INDEX, "j1", new WorkData(9)));

        List<Renewal> renewals = await(jobs.processor().updateAll(database, claims));

        assertThat(renewals)
                .extracting(renewal -> renewal.job().isResubmitted())
                .containsExactly(false, true);
        assertThat(renewals.get(1).job().data()).isEqualTo(new WorkData(1));
    }

    @Test
    void theSameClaimTwiceAndAnOldClaimBesideAreToldApart() {
        Job<WorkData> old = accepted("j1", 1);
        await(jobs.processor().release(database, old));
        Job<WorkData> claim = accept();

        List<Renewal> renewals = await(jobs.processor().updateAll(database, List.of(claim, old, claim)));

        assertThat(renewals).extracting(Renewal::isRenewed).containsExactly(true, false, true);
    }

    @Test
    void claimsAreRenewedByTheirKeys() {
        addMany(4);
        List<Job<WorkData>> claims = acceptSome(4);
        await(jobs.processor().finish(database, claims.get(1)));
        await(jobs.control().cancel(database, INDEX, "j2", "not wanted"));
        await(jobs.remove(database, INDEX, "j3"));
        List<ClaimKey> keys = claims.stream()
                .map(claim -> new ClaimKey(claim.type(), claim.id(), claim.lock()))
                .toList();

        List<Optional<JobHaltedException>> halts = await(node().processor().renewAll(database, keys));

        assertThat(halts.get(0)).isEmpty();
        assertThat(halts.get(1).orElseThrow().end()).contains(AttemptEnd.SUCCEEDED);
        assertThat(halts.get(2).orElseThrow().isCancelled()).isTrue();
        assertThat(halts.get(3).orElseThrow().isRemoved()).isTrue();
        assertThat(keys.get(0)).hasToString("index/j0");
        await(jobs.processor().finish(database, claims.get(0)));
    }

    @Test
    void aRenewalOfNoneIsNone() {
        assertThat(await(jobs.processor().updateAll(database, List.of()))).isEmpty();
    }

    @Test
    void moreClaimsThanFitAreRefused() {
        Job<WorkData> claim = accepted("j1", 1);

        assertThatThrownBy(() -> jobs.processor().updateAll(database, Collections.nCopies(401, claim)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("400");
    }

    // release

    @Test
    void aReleasedJobIsPendingAgainAndItsReleaseIsNoFailure() {
        RetryPolicy once = RetryPolicy.standard().attempts(1);
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("j1").retry(once)));
        for (int i = 0; i < 3; i++) {
            Job<WorkData> claim = accept();
            await(jobs.processor().release(database, restored(claim)));
            assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
            assertThat(haltOf(claim)).hasMessageContaining("released");
        }

        assertThat(attemptsAt("j1"))
                .hasSize(3)
                .allSatisfy(attempt -> assertThat(attempt.end()).contains(AttemptEnd.RELEASED));
        assertThat(await(jobs.processor().fail(database, accept(), new Exception("failed"))))
                .isEqualTo(JobState.FINISHED);
    }

    @Test
    void aReleasedJobKeepsItsScheduledTimeAndWakesOneThatWaits() {
        Instant noon = Instant.parse("2024-02-29T12:00:00Z");
        addAt("j1", 1, noon);
        Job<WorkData> claim = accept();
        CompletableFuture<Optional<Job<WorkData>>> waiting = node().processor().accept(INDEX);

        await(jobs.processor().release(database, claim));

        assertThat(await(waiting).orElseThrow().scheduledTime()).contains(noon);
    }

    @Test
    void aLostClaimIsNotReleased() {
        Job<WorkData> old = accepted("j1", 1);
        await(jobs.processor().release(database, old));
        Job<WorkData> next = accept();

        assertThat(failureOf(jobs.processor().release(database, old))).isInstanceOf(JobHaltedException.class);

        await(jobs.processor().update(database, next));
    }

    @Test
    void aClosedInstanceFailsACallForSeveralThatWaits() {
        CouchJobs closing = node();
        CompletableFuture<List<Job<WorkData>>> waiting =
                closing.processor().accept(INDEX, 10, AcceptOptions.defaults());

        closing.close();

        assertThat(failureOf(waiting)).isInstanceOf(CouchJobsClosedException.class);
    }

    // repeated ends

    private AttemptEnd endOf(Job<WorkData> claim) {
        return haltOf(claim).end().orElseThrow();
    }

    @Test
    void aHolderLearnsHowItHasEndedItsClaim() {
        addMany(5);
        List<Job<WorkData>> claims = acceptSome(5);
        await(jobs.processor().finish(database, claims.get(0)));
        await(jobs.processor().fail(database, claims.get(1), "no luck", true));
        await(jobs.processor().snooze(database, claims.get(2), Duration.ofHours(1)));
        await(jobs.processor().cancel(database, claims.get(3), "enough"));
        await(jobs.processor().release(database, claims.get(4)));

        assertThat(claims.stream().map(this::endOf))
                .containsExactly(
                        AttemptEnd.SUCCEEDED,
                        AttemptEnd.FAILED,
                        AttemptEnd.SNOOZED,
                        AttemptEnd.CANCELLED,
                        AttemptEnd.RELEASED);
    }

    @Test
    void aClaimThatOthersHaveEndedHasNoEndOfItsHolder() {
        addMany(2);
        List<Job<WorkData>> claims = acceptSome(2);
        await(jobs.control().cancel(database, INDEX, "j0", "not wanted"));
        await(jobs.remove(database, INDEX, "j1"));

        assertThat(claims).allSatisfy(claim -> assertThat(haltOf(claim).end()).isEmpty());
    }

    // failures as text

    @Test
    void anAttemptFailsWithAText() {
        Job<WorkData> claim = accepted("j1", 1);
        assertThat(claim.claim()).isEqualTo(1);
        assertThat(claim.failures()).isZero();

        assertThat(await(jobs.processor().fail(database, claim, "ValueError: no luck\n  at main.py:7", true)))
                .isEqualTo(JobState.PENDING);
        assertThat(attemptsAt("j1").get(0).error()).contains("ValueError: no luck\n  at main.py:7");

        await(jobs.control().runNow(database, INDEX, "j1"));
        Job<WorkData> second = accept();
        assertThat(second.claim()).isEqualTo(2);
        assertThat(second.failures()).isEqualTo(1);
        assertThat(await(jobs.processor().fail(database, restored(second), "never", false)))
                .isEqualTo(JobState.FINISHED);
    }
}
