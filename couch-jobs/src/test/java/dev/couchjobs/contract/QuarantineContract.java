package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.Retention;
import dev.couchjobs.Subscription;
import dev.couchjobs.UndecodableRowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A row that cannot be decoded harms nothing but itself, and goes into quarantine. */
class QuarantineContract extends DependingJobs {
    private static final byte[] DAMAGED = {0x7F, 0x13};

    static Stream<byte[]> badRows() {
        return Stream.of(
                DAMAGED,
                new byte[0],
                Tuple.from("x").pack(),
                Tuple.from(0L).pack(),
                Tuple.from(0L, null, "soon", false, new byte[0]).pack(),
                Tuple.from("later", null, 0L, false, new byte[0]).pack(),
                Tuple.from(0L, null, 0L, false, new byte[0], null, "terms").pack());
    }

    private void damage(Object... path) {
        rows.putBytes(rows.key(path), DAMAGED);
    }

    private List<QuarantinedRow> quarantined(JobType<?, ?> type) {
        return await(jobs.quarantine().list(database, type, PageRequest.of(100)))
                .items();
    }

    private QuarantinedRow onlyQuarantined() {
        assertThat(quarantined(INDEX)).hasSize(1);
        return quarantined(INDEX).get(0);
    }

    private List<String> acceptAll() {
        List<String> ids = new ArrayList<>();
        for (Optional<Job<WorkData>> job = tryAccept(); job.isPresent(); job = tryAccept()) {
            ids.add(job.get().id());
        }
        return ids;
    }

    @ParameterizedTest
    @MethodSource("badRows")
    void ofManyJobsAllRunButTheOneWhoseRowIsDamaged(byte[] bad) {
        addMany(100);
        rows.putBytes(rows.key("data", "index", "j50"), bad);

        assertThat(acceptAll()).hasSize(99).doesNotContain("j50");

        assertThat(onlyQuarantined().row()).contains("data").contains("j50");
        assertThat(onlyQuarantined().reason()).isNotEmpty();
        assertThat(rows.isThere("data", "index", "j50")).isFalse();
        assertThat(rows.under("pending", "index")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("badRows")
    void whoeverAsksForAJobWhoseRowIsDamagedIsToldWhatToDo(byte[] bad) {
        add("j1", 1);
        add("j2", 2);
        rows.putBytes(rows.key("data", "index", "j1"), bad);

        assertThat(failureOf(jobs.getJobState(database, INDEX, "j1")))
                .isInstanceOf(UndecodableRowException.class)
                .hasMessageContaining("j1")
                .hasMessageContaining("CouchJobs.quarantine()");
        assertThat(failureOf(jobs.getJob(database, INDEX, "j1"))).isInstanceOf(UndecodableRowException.class);
        assertThat(failureOf(jobs.subscribe(database, INDEX, "j1"))).isInstanceOf(UndecodableRowException.class);
        assertThat(all(database, INDEX)).extracting(JobSummary::jobId).containsExactly("j2");
        assertThat(await(jobs.list(database, INDEX, JobState.PENDING, PageRequest.of(10)))
                        .items())
                .extracting(JobSummary::jobId)
                .containsExactly("j2");
    }

    @ParameterizedTest
    @MethodSource("badRows")
    void aJobWhoseRowIsDamagedCanBeAddedAnew(byte[] bad) {
        add("j1", 1);
        rows.putBytes(rows.key("data", "index", "j1"), bad);

        add("j1", 7);

        assertThat(stepOf("j1")).isEqualTo(7);
        assertThat(accept().id()).isEqualTo("j1");
        assertThat(onlyQuarantined().row()).contains("j1");
    }

    @ParameterizedTest
    @MethodSource("badRows")
    void aJobWhoseRowIsDamagedCanBeRemoved(byte[] bad) {
        add("j1", 1);
        rows.putBytes(rows.key("data", "index", "j1"), bad);

        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(await(jobs.quarantine()
                        .remove(database, INDEX, onlyQuarantined().id())))
                .isTrue();
        assertThat(quarantined(INDEX)).isEmpty();
        assertThat(rows.under("quarantine")).isEmpty();
    }

    @Test
    void aDamagedRowAtTheHeadOfTheQueueDoesNotKeepAClaimOfOneJobWaiting() {
        add("j1", 1);
        rows.putBytes(rows.key("pending", "index", 0, new byte[1]), new byte[0]);

        assertThat(await(jobs.processor().accept(INDEX)).map(Job::id)).hasValue("j1");
    }

    @Test
    void aRowInQuarantineHasTheBytesThatItHad() {
        add("j1", 1);
        damage("data", "index", "j1");
        assertThat(acceptAll()).isEmpty();

        Tuple id = rows.under("quarantine", "index", 1).get(0);

        assertThat(rows.bytes("quarantine", "index", 1, id.getVersionstamp(0))).isEqualTo(DAMAGED);
    }

    @Test
    void aRowThatStillCannotBeDecodedStaysInQuarantine() {
        add("j1", 1);
        damage("data", "index", "j1");
        assertThat(acceptAll()).isEmpty();
        String id = onlyQuarantined().id();

        assertThat(failureOf(jobs.quarantine().restore(database, INDEX, id)))
                .isInstanceOf(UndecodableRowException.class);

        assertThat(onlyQuarantined().id()).isEqualTo(id);
    }

    /** Another version of the library may be able to decode it; here the bytes in quarantine are mended. */
    @Test
    void aRowThatCanBeDecodedByNowIsPutBackAndItsJobRuns() {
        addMany(3);
        byte[] good = Objects.requireNonNull(rows.bytes("data", "index", "j1"));
        damage("data", "index", "j1");
        assertThat(acceptAll()).containsExactlyInAnyOrder("j0", "j2");
        Versionstamp stamp = rows.under("quarantine", "index", 1).get(0).getVersionstamp(0);
        rows.putBytes(rows.key("quarantine", "index", 1, stamp), good);

        assertThat(await(jobs.quarantine()
                        .restore(database, INDEX, onlyQuarantined().id())))
                .isTrue();

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(quarantined(INDEX)).isEmpty();
        assertThat(await(jobs.counts(database, INDEX)).running()).isEqualTo(3);
        assertThat(await(jobs.counts(database, INDEX)).total()).isEqualTo(3);
    }

    @Test
    void aRowIsNotPutBackInThePlaceOfAnother() {
        add("j1", 1);
        damage("data", "index", "j1");
        add("j1", 2);

        assertThat(await(jobs.quarantine()
                        .restore(database, INDEX, onlyQuarantined().id())))
                .isFalse();

        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(quarantined(INDEX)).hasSize(1);
    }

    @Test
    void aTextThatIsNoIdOfARowIsRefused() {
        assertThatThrownBy(() -> jobs.quarantine().remove(database, INDEX, "j1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unchanged");
    }

    @Test
    void damagedRowsOfTheQueuesKeepNoJobFromRunning() {
        addMany(3);
        damage("pending", "index", "soon", "j0");
        damage("pending", "index", 0, 17);
        damage("ranked", "index", 0, "high", 0, 0, "j1");
        rows.putBytes(concat(rows.key("pending", "index", 0), DAMAGED), DAMAGED);

        assertThat(acceptAll()).containsExactlyInAnyOrder("j0", "j1", "j2");
        assertThat(quarantined(INDEX)).hasSizeGreaterThanOrEqualTo(2);
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    @Test
    void jobsWhoseIdsCannotBeDecodedAreLeftOutOfTheList() {
        addMany(3);
        damage("data", "index", 17);
        damage("data", "index", "j1", "more");
        rows.putBytes(concat(rows.key("data", "index"), DAMAGED), DAMAGED);

        assertThat(all(database, INDEX)).extracting(JobSummary::jobId).containsExactly("j0", "j1", "j2");
        PageRequest one = PageRequest.of(1);
        assertThat(await(jobs.list(database, INDEX, one)).items())
                .extracting(JobSummary::jobId)
                .containsExactly("j0");
        assertThat(quarantined(INDEX)).hasSize(3);
        quarantined(INDEX)
                .forEach(row -> assertThat(await(jobs.quarantine().remove(database, INDEX, row.id())))
                        .isTrue());
        assertThat(rows.under("data", "index")).hasSize(3);
    }

    @Test
    void aDamagedActivityRowKeepsNoOtherJobFromBeingPutBack() {
        accepted("j1", 1);
        damage("activity", "index", "no stamp");
        damage("activity", "index", Versionstamp.complete(new byte[10], 3));
        Subscription<WorkData> subscription = subscribe("j1");

        awaitSilence(INDEX, List.of(subscription));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aSilentJobWhoseRowIsDamagedKeepsNoOtherFromBeingPutBack() {
        accepted("j1", 1);
        accepted("j2", 2);
        Subscription<WorkData> subscription = subscribe("j2");
        damage("data", "index", "j1");

        awaitSilence(INDEX, List.of(subscription));

        assertThat(stateOf("j2")).isEqualTo(JobState.PENDING);
        assertThat(onlyQuarantined().row()).contains("j1");
    }

    @Test
    void aDamagedRowOfTheFeedHidesNoChangeFromASubscription() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        damage("feed", "index", "no stamp");
        Tuple last = rows.under("feed", "index").get(0);
        damage("feed", "index", last.get(0));
        Job<WorkData> job = accept();

        await(jobs.processor().finish(database, job));

        assertThat(await(subscription.awaitEvent(JobState.FINISHED, LONG))).isPresent();
    }

    @Test
    void damagedRowsKeepNoOtherJobFromBeingRetired() {
        SettableClock clock = new SettableClock(NOON);
        JobType<WorkData, ?> kept = INDEX.retention(Retention.of(Duration.ofHours(1)));
        CouchJobs node = node(clock);
        for (int i = 0; i < 3; i++) {
            await(node.processor().finish(database, acceptedOf(node, kept, "j" + i)));
        }
        damage("data", "index", "j1");
        damage("retire", "index", false, 5);
        damage("retire", "index", false, "soon", Versionstamp.complete(new byte[10], 3));

        clock.advance(Duration.ofHours(2));
        var gone = rows.nextChange("data", "index", "j2");
        node(clock).maintenance().monitor(kept);
        await(gone);

        assertThat(stateOf("j2")).isEqualTo(JobState.NOT_FOUND);
    }

    private Job<WorkData> acceptedOf(CouchJobs node, JobType<WorkData, ?> type, String jobId) {
        await(node.add(database, type, jobId, WORK));
        return await(node.processor().accept(type)).orElseThrow();
    }

    @Test
    void damagedRowsOfALogAreLeftOut() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().log(database, job, "one"));
        await(jobs.processor().log(database, job, "two"));
        damage("log", "index", "j1", 1);
        damage("log", "index", "j1", 9, "nine");

        await(jobs.processor().log(database, job, "three"));

        assertThat(await(jobs.details().entries(database, INDEX, "j1", 0, 10)))
                .extracting(LogEntry::number)
                .contains(2L)
                .doesNotContain(1L);
    }

    @Test
    void aDamagedLinkKeepsNoOtherDependentFromBeingReleased() {
        await(jobs.addAll(
                database,
                List.of(job("a"), mail("m0").after(INDEX, "a"), mail("m1").after(INDEX, "a"))));
        Tuple link = rows.under("dependents", "index", "a").get(0);
        damage("dependents", "index", "a", link.get(0), "mail", "m0");
        damage("releasing", "index", "b", "no room");

        await(jobs.processor().finish(database, accept()));

        assertThat(await(jobs.processor().accept(MAIL)).map(Job::id)).hasValue("m1");
    }

    @Test
    void thoseThatWaitForAJobWhoseRowIsDamagedAreToldWhenItIsRemovedFromQuarantine() {
        await(jobs.addAll(database, List.of(job("a"), mail("m").after(orFail(INDEX, "a")))));
        damage("data", "index", "a");
        assertThat(acceptAll()).isEmpty();
        assertThat(await(jobs.getJobState(database, MAIL, "m"))).isEqualTo(JobState.PENDING);
        jobs.maintenance().monitor(INDEX);

        await(jobs.quarantine().remove(database, INDEX, onlyQuarantined().id()));

        awaitFinished("m");
        assertThat(rows.under("dependents")).isEmpty();
        assertThat(rows.under("waits_for")).isEmpty();
    }

    @Test
    void ofSeveralClaimsThatEndTogetherOnlyTheDamagedOneIsLost() {
        Job<WorkData> one = accepted("j1", 1);
        Job<WorkData> two = accepted("j2", 2);
        damage("data", "index", "j1");

        assertThat(failureOf(jobs.processor().finish(database, one))).hasMessageContaining("j1");
        await(jobs.processor().finish(database, two));

        assertThat(stateOf("j2")).isEqualTo(JobState.FINISHED);
    }
}
