package dev.couchjobs.contract;

import static dev.couchjobs.JobStatus.CANCELLED;
import static dev.couchjobs.JobStatus.FAILED;
import static dev.couchjobs.JobStatus.LIMITED;
import static dev.couchjobs.JobStatus.PAUSED;
import static dev.couchjobs.JobStatus.RETRYING;
import static dev.couchjobs.JobStatus.RUNNING;
import static dev.couchjobs.JobStatus.SCHEDULED;
import static dev.couchjobs.JobStatus.SUCCEEDED;
import static dev.couchjobs.JobStatus.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.Job;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.NotIndexedException;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs by status: counted and listed, once the user has asked for an index of their type. */
class JobStatusesContract extends JobsContract {
    private static final JobType<WorkData, Void> TYPE = JobType.of("index", WorkData.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ofHours(1), 1, Duration.ofHours(1)));
    private static final PageRequest ALL = PageRequest.of(100);
    private static final String ERROR = "the disk is full";

    private SettableClock clock;
    private CouchJobs timed;
    private StoredRows rows;

    @BeforeEach
    void openNode() {
        clock = new SettableClock(NOON);
        timed = node(clock);
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(TYPE, new WorkData(1)).id(id);
    }

    private void put(NewJob<WorkData> job) {
        await(timed.add(database, job));
    }

    private void index() {
        await(timed.statuses().index(TYPE));
    }

    private Job<WorkData> claim() {
        return await(timed.processor().accept(TYPE, AcceptOptions.nonBlocking()))
                .orElseThrow();
    }

    private void fail(Job<WorkData> job) {
        await(timed.processor().fail(database, job, new IllegalStateException(ERROR)));
    }

    private Map<JobStatus, Long> counts() {
        Map<JobStatus, Long> counts = await(timed.statuses().counts(database, TYPE));
        assertThat(counts).containsOnlyKeys(JobStatus.values());
        return counts.entrySet().stream()
                .filter(count -> count.getValue() != 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private List<JobLine> lines(JobStatus status) {
        return await(timed.statuses().list(database, TYPE, status, ALL)).items();
    }

    private List<String> ids(JobStatus status) {
        return lines(status).stream().map(JobLine::jobId).toList();
    }

    /** The listings and the counts agree. */
    private Map<JobStatus, List<String>> all() {
        Map<JobStatus, List<String>> all = Arrays.stream(JobStatus.values())
                .filter(status -> !ids(status).isEmpty())
                .collect(Collectors.toMap(status -> status, this::ids));
        assertThat(counts()).isEqualTo(all.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, ids ->
                (long) ids.getValue().size())));
        return all;
    }

    /** A job with each status but PAUSED. */
    private void putOneOfEach() {
        await(timed.limits().set(database, TYPE, "tenant-7", 1));
        put(job("running").priority(9));
        claim();
        for (String id : List.of("succeeded", "failed", "retrying")) {
            put(job(id).retry(RetryPolicy.standard().attempts(id.equals("failed") ? 1 : 2)));
            Job<WorkData> job = claim();
            if (id.equals("succeeded")) {
                await(timed.processor().finish(database, job));
            } else {
                fail(job);
            }
        }
        put(job("cancelled"));
        await(timed.control().cancel(database, TYPE, "cancelled", "no need"));
        put(job("expired").startBefore(NOON.minusSeconds(1)));
        assertThat(await(timed.processor().accept(TYPE, AcceptOptions.nonBlocking())))
                .isEmpty();
        put(job("blocked").after(Dependency.on(TYPE, "running")));
        put(job("scheduled").at(NOON.plusSeconds(60)));
        put(job("waiting"));
        put(job("limited").limitKey("tenant-7"));
    }

    private static final Map<JobStatus, List<String>> ONE_OF_EACH = Arrays.stream(JobStatus.values())
            .filter(status -> status != PAUSED)
            .collect(Collectors.toMap(
                    status -> status, status -> List.of(status.name().toLowerCase(Locale.ROOT))));

    @Test
    void jobsAreListedByTheirStatuses() {
        index();

        putOneOfEach();

        assertThat(all()).isEqualTo(ONE_OF_EACH);
    }

    @Test
    void jobsFromBeforeTheIndexAreListedToo() {
        putOneOfEach();

        index();

        assertThat(all()).isEqualTo(ONE_OF_EACH);
    }

    @Test
    void withoutAnIndexTheErrorSaysWhatToDo() {
        assertThatThrownBy(this::counts)
                .hasRootCauseInstanceOf(NotIndexedException.class)
                .hasMessageContaining("call JobStatuses.index for the type once");
        assertThatThrownBy(() -> ids(WAITING)).hasRootCauseInstanceOf(NotIndexedException.class);
    }

    @Test
    void aLineSaysWhatAnOperatorAsks() {
        index();
        put(job("j1").priority(7).tags("eu", "import").turnKey("tenant-7").limitKey("tenant-7"));
        clock.advance(Duration.ofSeconds(3));
        Job<WorkData> job = claim();
        await(timed.processor().progress(database, job, 3, 10, "three of ten"));

        JobLine running = lines(RUNNING).get(0);
        assertThat(running.since()).hasValue(NOON.plusSeconds(3));
        assertThat(running.priority()).isEqualTo(7);
        assertThat(running.claim()).isEqualTo(1);
        assertThat(running.failures()).isZero();
        assertThat(running.holder()).isPresent();
        assertThat(running.error()).isEmpty();
        assertThat(running.progress().orElseThrow().text()).isEqualTo("three of ten");
        assertThat(running.limitKey()).hasValue("tenant-7");
        assertThat(running.turnKey()).hasValue("tenant-7");
        assertThat(running.tags()).containsExactly("eu", "import");

        clock.advance(Duration.ofSeconds(4));
        fail(job);

        JobLine retrying = lines(RETRYING).get(0);
        assertThat(retrying.since()).hasValue(NOON.plusSeconds(7));
        assertThat(retrying.scheduledTime().orElseThrow()).isAfter(NOON.plusSeconds(60));
        assertThat(retrying.failures()).isEqualTo(1);
        assertThat(retrying.error().orElseThrow()).startsWith("java.lang.IllegalStateException: " + ERROR);
        assertThat(retrying.progress()).isEmpty();
        assertThat(retrying.tags()).containsExactly("eu", "import");
    }

    @Test
    void aLongErrorIsCut() {
        index();
        put(job("j1").retry(RetryPolicy.standard().attempts(1)));

        String named = "java.lang.IllegalStateException: ";
        String shown = "x".repeat(JobLine.ERROR_CHARS_MAX - named.length() - 1);
        await(timed.processor().fail(database, claim(), new IllegalStateException(shown + "\uD83D\uDE00")));

        assertThat(lines(FAILED).get(0).error()).hasValue(named + shown);
    }

    @Test
    void theSlotThatAJobPassesOnShows() {
        index();
        await(timed.limits().set(database, TYPE, "tenant-7", 1));
        for (String id : List.of("a", "b", "c")) {
            put(job(id).limitKey("tenant-7"));
            clock.advance(Duration.ofMillis(1));
        }
        Job<WorkData> a = claim();
        assertThat(all()).isEqualTo(Map.of(RUNNING, List.of("a"), LIMITED, List.of("b", "c")));

        await(timed.processor().finish(database, a));
        assertThat(all()).isEqualTo(Map.of(SUCCEEDED, List.of("a"), WAITING, List.of("b"), LIMITED, List.of("c")));

        await(timed.limits().set(database, TYPE, "tenant-7", 2));
        assertThat(claim().id()).isEqualTo("b");
        assertThat(all()).isEqualTo(Map.of(SUCCEEDED, List.of("a"), RUNNING, List.of("b"), WAITING, List.of("c")));

        await(timed.control().reprioritise(database, TYPE, "c", 5));
        await(timed.remove(database, TYPE, "b"));
        assertThat(all()).isEqualTo(Map.of(SUCCEEDED, List.of("a"), WAITING, List.of("c")));
    }

    @Test
    void jobsOfAPausedTypeArePaused() {
        index();
        put(job("j1"));
        put(job("j2").at(NOON.plusSeconds(9)));

        await(timed.types().pause(database, TYPE, "deploying"));

        assertThat(all()).isEqualTo(Map.of(PAUSED, List.of("j1"), SCHEDULED, List.of("j2")));
        assertThat(lines(PAUSED).get(0).status()).isEqualTo(PAUSED);
        await(timed.types().resume(database, TYPE));
        assertThat(all()).isEqualTo(Map.of(WAITING, List.of("j1"), SCHEDULED, List.of("j2")));
    }

    @Test
    void jobsThatAreRemovedAreNotListed() {
        JobType<WorkData, Void> vanishing =
                JobType.of(TYPE.name(), WorkData.class).retention(Retention.of(Duration.ZERO));
        index();
        put(job("j1"));
        put(job("j2"));

        await(timed.processor()
                .finish(database, await(timed.processor().accept(vanishing)).orElseThrow()));
        await(timed.remove(database, TYPE, "j2"));

        assertThat(all()).isEmpty();
    }

    @Test
    void pagesFollowOneAnotherInBothDirections() {
        index();
        List<String> ids = IntStream.range(0, 7).mapToObj(i -> "j" + i).toList();
        for (String id : ids) {
            put(job(id).priority(1));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(pages(WAITING, PageRequest.of(3))).isEqualTo(ids);
        List<String> reversed = new ArrayList<>(ids);
        Collections.reverse(reversed);
        assertThat(pages(WAITING, PageRequest.of(3).newestFirst())).isEqualTo(reversed);

        for (String id : ids) {
            Job<WorkData> job = claim();
            clock.advance(Duration.ofMillis(1));
            if (!id.equals("j3")) {
                await(timed.processor().progress(database, job, 1, 2, id));
            }
        }

        assertThat(pages(RUNNING, PageRequest.of(2))).isEqualTo(ids);
        assertThat(pages(RUNNING, PageRequest.of(2).newestFirst())).isEqualTo(reversed);
        assertThat(lines(RUNNING))
                .allMatch(line -> line.jobId()
                        .equals(line.progress().map(progress -> progress.text()).orElse("j3")));
    }

    private List<String> pages(JobStatus status, PageRequest first) {
        List<String> ids = new ArrayList<>();
        Optional<PageRequest> next = Optional.of(first);
        while (next.isPresent()) {
            Page<JobLine> page = await(timed.statuses().list(database, TYPE, status, next.get()));
            page.items().forEach(line -> ids.add(line.jobId()));
            next = page.next().map(first::after);
        }
        return ids;
    }

    @Test
    void idsThatBeginAsOthersAreListedToo() {
        index();
        for (String id : List.of("a", "a b", "a ")) {
            put(job(id));
        }
        assertThat(pages(WAITING, PageRequest.of(1))).containsExactlyInAnyOrder("a", "a b", "a ");
        assertThat(pages(WAITING, PageRequest.of(1).newestFirst())).containsExactlyInAnyOrder("a", "a b", "a ");

        await(timed.remove(database, TYPE, "a"));

        assertThat(all()).isEqualTo(Map.of(WAITING, List.of("a ", "a b")));
    }

    @Test
    void aPageGoesOnOnlyFromAPageOfTheSameListing() {
        index();
        put(job("j1"));
        put(job("j2"));
        String next = await(timed.statuses().list(database, TYPE, WAITING, PageRequest.of(1)))
                .next()
                .orElseThrow();

        for (String place : List.of(next, "nonsense")) {
            assertThatThrownBy(() -> timed.statuses().list(database, TYPE, RUNNING, ALL.after(place)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no place to go on from");
        }
    }

    @Test
    void changesOfSeveralVerbsInOneTransactionAreOne() {
        index();
        await(timed.limits().set(database, TYPE, "tenant-7", 1));

        await(database.runAsync(tx -> timed.add(tx, job("j1").limitKey("tenant-7"))
                .thenCompose(added -> timed.add(tx, job("j2").limitKey("tenant-7")))
                .thenCompose(added -> timed.control().cancel(tx, TYPE, "j1", "no need"))
                .thenCompose(done -> timed.add(tx, job("j3").limitKey("tenant-7")))
                .thenCompose(added -> timed.remove(tx, TYPE, "j3"))
                .thenCompose(done -> timed.statuses().counts(tx, TYPE))
                .thenAccept(counts -> {
                    assertThat(counts).containsEntry(LIMITED, 1L).containsEntry(CANCELLED, 1L);
                    assertThat(counts).containsEntry(WAITING, 0L);
                })));

        assertThat(all()).isEqualTo(Map.of(CANCELLED, List.of("j1"), LIMITED, List.of("j2")));
    }

    @Test
    void verbsOfOneTransactionNeedNotWaitForEachOther() {
        index();
        await(timed.limits().set(database, TYPE, "tenant-7", 1));

        await(database.runAsync(tx -> {
            var first = timed.add(tx, job("j1").limitKey("tenant-7"));
            var second = timed.add(tx, job("j2").limitKey("tenant-7"));
            var third = timed.control().cancel(tx, TYPE, "j1", "no need");
            var fourth = timed.add(tx, job("j3").at(NOON.plusSeconds(1)));
            return first.thenCombine(second, (a, b) -> a)
                    .thenCombine(third, (a, b) -> a)
                    .thenCombine(fourth, (a, b) -> a);
        }));

        assertThat(all()).isEqualTo(Map.of(CANCELLED, List.of("j1"), LIMITED, List.of("j2"), SCHEDULED, List.of("j3")));
    }

    @Test
    void aBuildGoesOnWhereAnotherHasStopped() {
        for (int i = 0; i < 6; i++) {
            List<NewJob<WorkData>> jobsOfPage = IntStream.range(100 * i, 100 * (i + 1))
                    .mapToObj(id -> job("j" + (1_000 + id)))
                    .toList();
            await(timed.addAll(database, jobsOfPage));
        }
        assertThatThrownBy(() -> await(timed.statuses().index(TYPE, count -> {
                    throw new IllegalStateException("stopped at " + count);
                })))
                .hasMessageContaining("stopped at 500");
        assertThatThrownBy(this::counts).hasMessageContaining("are being indexed by status: wait until");
        await(timed.remove(database, TYPE, "j1000"));
        await(timed.remove(database, TYPE, "j1599"));
        put(job("j0999"));
        put(job("j1600"));

        List<Long> progress = new ArrayList<>();
        await(timed.statuses().index(TYPE, progress::add));

        assertThat(progress).containsExactly(100L);
        assertThat(counts()).isEqualTo(Map.of(WAITING, 600L));
        assertThat(pages(WAITING, PageRequest.of(1_000))).hasSize(600).doesNotContain("j1000", "j1599");
    }

    @Test
    void anIndexedTypeStaysAsItIs() {
        index();
        put(job("j1"));

        index();

        assertThat(all()).isEqualTo(Map.of(WAITING, List.of("j1")));
    }

    @Test
    void aDroppedIndexLeavesNothing() {
        putOneOfEach();
        index();

        await(timed.statuses().drop(database, TYPE));
        put(job("another"));

        assertThat(rows.under("statuses", TYPE.name())).isEmpty();
        assertThat(rows.under("status_counts", TYPE.name())).isEmpty();
        assertThat(rows.isThere("statuses", TYPE.name())).isFalse();
        index();
        assertThat(ids(WAITING)).containsExactlyInAnyOrder("another", "waiting");
    }

    @Test
    void verbsAfterADropInOneTransactionWriteNoIndex() {
        index();

        await(database.runAsync(tx -> timed.add(tx, job("j1"))
                .thenCompose(added -> timed.statuses().drop(tx, TYPE))
                .thenCompose(dropped -> timed.add(tx, job("j2")))));

        assertThat(rows.under("statuses", TYPE.name())).isEmpty();
        assertThat(rows.under("status_counts", TYPE.name())).isEmpty();
    }

    @Test
    void otherProcessesNoticeAnIndexAndItsEnd() {
        CouchJobs other = node();
        await(other.add(database, job("j1")));
        index();
        await(other.add(database, job("j2")));
        assertThat(ids(WAITING)).containsExactly("j1", "j2");

        await(timed.statuses().drop(database, TYPE));
        await(other.remove(database, TYPE, "j2"));
        await(other.add(database, job("j3")));
        assertThat(rows.under("statuses", TYPE.name())).isEmpty();

        index();
        await(other.remove(database, TYPE, "j1"));
        assertThat(all()).isEqualTo(Map.of(WAITING, List.of("j3")));
    }

    @Test
    void aDropThatDoesNotCommitChangesNothing() {
        index();
        try (Transaction tx = database.createTransaction()) {
            await(timed.statuses().drop(tx, TYPE));
            await(timed.add(tx, job("j1")));
        }

        put(job("j2"));

        assertThat(all()).isEqualTo(Map.of(WAITING, List.of("j2")));
    }

    @Test
    void otherTypesAreNotIndexed() {
        index();

        await(timed.add(database, MAIL, "m1", new WorkData(1)));

        assertThat(rows.under("statuses", MAIL.name())).isEmpty();
        assertThatThrownBy(() -> await(timed.statuses().counts(database, MAIL)))
                .hasRootCauseInstanceOf(NotIndexedException.class);
    }

    @Test
    void aJobInQuarantineIsNeitherListedNorCounted() {
        index();
        put(job("j1"));
        put(job("j2"));
        rows.putBytes(rows.key("data", TYPE.name(), "j1"), new byte[] {1, 2, 3});
        assertThat(claim().id()).isEqualTo("j2");

        assertThat(all()).isEqualTo(Map.of(RUNNING, List.of("j2")));
    }

    @Test
    void damagedRowsOfTheIndexAreSkipped() {
        index();
        put(job("j1"));
        put(job("j2"));
        rows.putBytes(rows.key("statuses", TYPE.name(), 3, 0, "j1"), new byte[] {1, 2, 3});

        assertThat(ids(WAITING)).containsExactly("j2");
    }

    @Test
    void countsJoinATransaction() {
        index();
        try (Transaction tx = database.createTransaction()) {
            await(timed.add(tx, job("j1")));
            assertThat(await(timed.statuses().counts(tx, TYPE))).containsEntry(WAITING, 1L);
            assertThat(await(timed.statuses().list(tx, TYPE, WAITING, ALL)).items())
                    .hasSize(1);
        }

        assertThat(all()).isEmpty();
    }

    @Test
    void theFirstIndexKeepsOlderVersionsFromWriting() {
        index();

        assertThat(rows.value("layout").subList(0, 7)).containsExactly(12L, 1L, 12L, "", "", "", 1L << 12);
    }
}
