package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Dependency;
import dev.couchjobs.Job;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If the row of a job is damaged, nobody knows any more which rows of indexes name the job. Whoever reads such a row
 * removes it, and a check of the indexes finds the others.
 */
class StaleRowsContract extends JobsContract {
    private static final byte[] DAMAGED = {0x7F, 0x13};
    private static final JobType<WorkData, Void> TYPE = JobType.of("index", WorkData.class)
            .retry(RetryPolicy.standard().attempts(1).backoff(Duration.ofHours(1), 1, Duration.ofHours(1)));
    private static final PageRequest ALL = PageRequest.of(100);

    /** The past, and rows that loops meet and clear at their time. */
    private static final Set<String> OTHERS = Set.of("feed", "activity", "releasing", "retire");

    private SettableClock clock;
    private CouchJobs timed;
    private StoredRows rows;
    private final Map<String, byte[]> undamaged = new HashMap<>();

    @BeforeEach
    void openNode() {
        clock = new SettableClock(NOON);
        timed = node(clock);
        rows = new StoredRows(database, prefix);
        undamaged.clear();
        await(timed.statuses().index(TYPE));
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(TYPE, new WorkData(1)).id(id).tags("eu", "import").unique(Unique.by("key of " + id));
    }

    private void put(NewJob<WorkData> job) {
        await(timed.add(database, job));
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(TYPE, AcceptOptions.nonBlocking()));
    }

    private void fail(String id, NewJob<WorkData> job) {
        put(job);
        Job<WorkData> claimed = claim().orElseThrow();
        assertThat(claimed.id()).isEqualTo(id);
        await(timed.processor().fail(database, claimed, new IllegalStateException("the disk is full")));
    }

    /** A job with each status that is stored, with tags and a unique key. {@return their ids} */
    private Set<String> putOneOfEach() {
        await(timed.limits().set(database, TYPE, "tenant-7", 1));
        put(job("running").priority(9));
        Job<WorkData> running = claim().orElseThrow();
        await(timed.processor().progress(database, running, 1, 2, "half of it"));
        put(job("succeeded"));
        await(timed.processor().finish(database, claim().orElseThrow()));
        fail("failed", job("failed"));
        fail("retrying", job("retrying").retry(RetryPolicy.standard().attempts(2)));
        put(job("cancelled"));
        await(timed.control().cancel(database, TYPE, "cancelled", "no need"));
        put(job("expired").startBefore(NOON.minusSeconds(1)));
        assertThat(claim()).isEmpty();
        put(job("blocked").after(Dependency.on(TYPE, "running")));
        put(job("scheduled").at(NOON.plusSeconds(60)));
        put(job("waiting").limitKey("tenant-7"));
        put(job("limited").limitKey("tenant-7"));
        Set<String> ids = new TreeSet<>();
        rows.under("data", TYPE.name()).forEach(row -> ids.add(row.getString(0)));
        assertThat(ids).hasSize(10);
        return ids;
    }

    /** Damages the row of a job, and lets a listing meet it. */
    private void damage(String id) {
        byte[] key = rows.key("data", TYPE.name(), id);
        undamaged.put(id, Objects.requireNonNull(rows.bytes("data", TYPE.name(), id)));
        rows.putBytes(key, DAMAGED);
        assertThat(await(timed.remove(database, TYPE, id))).isTrue();
        assertThat(rows.isThere("data", TYPE.name(), id)).isFalse();
    }

    private List<QuarantinedRow> quarantined() {
        return await(timed.quarantine().list(database, TYPE, ALL)).items();
    }

    private void removeQuarantined() {
        quarantined()
                .forEach(row -> assertThat(await(timed.quarantine().remove(database, TYPE, row.id())))
                        .isTrue());
    }

    /** Restores a job, with the row that it had. */
    private void restore(String id) {
        QuarantinedRow quarantined = quarantined().stream()
                .filter(row -> row.row().contains(id))
                .findFirst()
                .orElseThrow();
        Tuple stamp = rows.under("quarantine", TYPE.name(), 1).stream()
                .filter(place -> quarantined.id().equals(hex(place)))
                .findFirst()
                .orElseThrow();
        rows.putBytes(
                rows.key("quarantine", TYPE.name(), 1, stamp.getVersionstamp(0)),
                Objects.requireNonNull(undamaged.get(id)));
        assertThat(await(timed.quarantine().restore(database, TYPE, quarantined.id())))
                .isTrue();
    }

    private static String hex(Tuple place) {
        return HexFormat.of().formatHex(place.getVersionstamp(0).getBytes());
    }

    /** Lets a new process check the indexes, unless this one, which claims, has done so already. */
    private void check() {
        node(clock).maintenance().monitor(TYPE);
        CompletableFuture<Void> moved = rows.nextChange("index_check", TYPE.name(), 1);
        while (!rows.under("index_check").isEmpty()) {
            await(moved);
            moved = rows.nextChange("index_check", TYPE.name(), 1);
        }
    }

    private List<String> tagged(String tag) {
        return await(timed.listTagged(database, TYPE, tag, ALL)).items().stream()
                .map(JobSummary::jobId)
                .toList();
    }

    private List<String> deadLetters() {
        return await(timed.deadLetters().list(database, TYPE, ALL)).items().stream()
                .map(DeadLetter::jobId)
                .toList();
    }

    private List<String> ids(JobStatus status) {
        return await(timed.statuses().list(database, TYPE, status, ALL)).items().stream()
                .map(JobLine::jobId)
                .toList();
    }

    private long counted(JobStatus status) {
        return Objects.requireNonNull(
                await(timed.statuses().counts(database, TYPE)).get(status));
    }

    /** {@return the first parts of the keys of the rows that name one of some jobs} */
    private Set<String> tablesThatName(Set<String> ids) {
        Subspace root = prefix.subspace(Tuple.from("couch_jobs"));
        Set<String> tables = new TreeSet<>();
        for (KeyValue row :
                await(database.readAsync(tx -> tx.getRange(root.range()).asList()))) {
            Tuple key = root.unpack(row.getKey());
            if (names(key, ids) || names(row.getValue(), ids)) {
                tables.add(key.getString(0));
            }
        }
        return tables;
    }

    private static boolean names(byte[] value, Set<String> ids) {
        try {
            return names(Tuple.fromBytes(value), ids);
        } catch (IllegalArgumentException e) { // no tuple: a counter
            return false;
        }
    }

    private static boolean names(Tuple tuple, Set<String> ids) {
        return tuple.getItems().stream().anyMatch(item -> item instanceof String text && ids.contains(text));
    }

    @Test
    void ofDamagedJobsNoRowIsLeftOnceTheyAreRemovedAndTheIndexesAreChecked() {
        Set<String> ids = putOneOfEach();
        ids.forEach(this::damage);
        assertThat(claim()).isEmpty();
        removeQuarantined();

        check();

        assertThat(tablesThatName(ids)).isSubsetOf(OTHERS);
        for (JobStatus status : JobStatus.values()) {
            assertThat(counted(status)).as("%s", status).isZero();
        }
        assertThat(rows.under("index_check")).isEmpty();
    }

    /** Each sees to its own rows alone. */
    @ParameterizedTest
    @ValueSource(strings = {"dead", "tags", "statuses"})
    void aListingRemovesTheRowsOfAJobThatIsGone(String index) {
        fail("failed", job("failed"));
        fail("other", job("other"));
        damage("failed");

        List<String> listed = switch (index) {
            case "dead" -> deadLetters();
            case "tags" -> tagged("eu");
            default -> ids(JobStatus.FAILED);
        };

        assertThat(listed).containsExactly("other");
        List<Tuple> left = index.equals("tags") ? rows.under(index, TYPE.name(), "eu") : rows.under(index, TYPE.name());
        assertThat(left).noneMatch(row -> row.getItems().contains("failed"));
        assertThat(left).anyMatch(row -> row.getItems().contains("other"));
        assertThat(ids(JobStatus.FAILED)).containsExactly("other");
        assertThat(counted(JobStatus.FAILED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead", "tags", "statuses"})
    void aListingRemovesTheRowsOfAJobThatIsAnother(String index) {
        fail("failed", job("failed"));
        damage("failed");
        put(NewJob.of(TYPE, new WorkData(2)).id("failed"));

        List<String> listed = switch (index) {
            case "dead" -> deadLetters();
            case "tags" -> tagged("eu");
            default -> ids(JobStatus.FAILED);
        };

        assertThat(listed).isEmpty();
        assertThat(ids(JobStatus.WAITING)).containsExactly("failed");
    }

    @Test
    void aPageGoesOnBehindStaleRows() {
        for (int i = 0; i < 6; i++) {
            fail("j" + i, job("j" + i));
            clock.advance(Duration.ofSeconds(1));
        }
        List.of("j0", "j1", "j4").forEach(this::damage);

        List<String> listed = new ArrayList<>();
        Optional<PageRequest> request = Optional.of(PageRequest.of(2));
        while (request.isPresent()) {
            var page = await(timed.statuses().list(database, TYPE, JobStatus.FAILED, request.get()));
            page.items().forEach(line -> listed.add(line.jobId()));
            request = page.next().map(request.get()::after);
        }

        assertThat(listed).containsExactly("j2", "j3", "j5");
    }

    @Test
    void aSelectionByTagLeavesOutAJobThatCameBackWithoutIt() {
        put(job("j1"));
        damage("j1");
        put(NewJob.of(TYPE, new WorkData(2)).id("j1"));
        put(job("j2"));

        await(timed.control().select(TYPE, any -> true).tagged("eu").cancel("the region has moved"));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(stateOf("j2")).isEqualTo(JobState.FINISHED);
        assertThat(rows.under("tags", TYPE.name(), "eu")).containsExactly(Tuple.from("j2"));
    }

    @Test
    void ofTheDeadLettersOnlyThoseThatAreThereAreRetried() {
        fail("gone", job("gone"));
        fail("again", job("again"));
        damage("gone");
        damage("again");
        clock.advance(Duration.ofSeconds(1));
        fail("again", NewJob.of(TYPE, new WorkData(2)).id("again"));

        assertThat(await(timed.deadLetters().retryAll(TYPE))).isEqualTo(1);

        assertThat(stateOf("again")).isEqualTo(JobState.PENDING);
        assertThat(rows.under("dead")).isEmpty();
    }

    @Test
    void jobsThatAreThereKeepTheirRows() {
        Set<String> ids = putOneOfEach();
        put(job("damaged"));
        Set<Tuple> before = indexRows();
        damage("damaged");

        check();

        Set<Tuple> without = new HashSet<>(before);
        without.removeIf(
                row -> row.getItems().contains("damaged") || row.getItems().contains("key of damaged"));
        assertThat(indexRows()).isEqualTo(without);
        for (JobStatus status : JobStatus.values()) {
            assertThat(counted(status)).as("%s", status).isEqualTo(ids(status).size());
        }
        assertThat(ids).hasSize(10);
    }

    private Set<Tuple> indexRows() {
        Set<Tuple> found = new HashSet<>();
        for (String index : List.of("dead", "limited", "pending", "ranked", "statuses", "tags", "unique")) {
            rows.under(index).forEach(row -> found.add(Tuple.from(index).addAll(row)));
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatIsRestoredHasItsRows(boolean isChecked) {
        fail("failed", job("failed"));
        put(job("waiting"));
        Set<Tuple> before = indexRows();
        damage("failed");
        damage("waiting");
        if (isChecked) {
            check();
        }

        restore("failed");
        restore("waiting");

        assertThat(indexRows()).isEqualTo(before);
        assertThat(ids(JobStatus.FAILED)).containsExactly("failed");
        assertThat(counted(JobStatus.FAILED)).isEqualTo(1);
        assertThat(ids(JobStatus.WAITING)).containsExactly("waiting");
        assertThat(counted(JobStatus.WAITING)).isEqualTo(1);
        assertThat(await(timed.add(database, NewJob.of(TYPE, new WorkData(3)).unique(Unique.by("key of waiting"))))
                        .jobId())
                .isEqualTo("waiting");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead", "tags"})
    void aListingMovesADamagedRowThatNobodyHasMet(String index) {
        fail("failed", job("failed"));
        rows.putBytes(rows.key("data", TYPE.name(), "failed"), DAMAGED);

        assertThat(index.equals("dead") ? deadLetters() : tagged("eu")).isEmpty();

        assertThat(quarantined()).hasSize(1);
        assertThat(index.equals("dead") ? rows.under("dead") : rows.under("tags", TYPE.name(), "eu"))
                .isEmpty();
    }

    /** Nobody has met the damaged row before. */
    @Test
    void theCheckMeetsRowsThatNobodyHasRead() {
        fail("failed", job("failed"));
        fail("unmet", job("unmet"));
        rows.putBytes(rows.key("data", TYPE.name(), "unmet"), DAMAGED);
        damage("failed");

        check();

        assertThat(quarantined()).hasSize(2);
        assertThat(Arrays.asList(rows.under("dead"), rows.under("tags"), rows.under("unique")))
                .allMatch(List::isEmpty);
        assertThat(counted(JobStatus.FAILED)).isZero();
    }
}
