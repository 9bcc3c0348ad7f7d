package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Feature A10: the data model of RFC 007, key by key and value by value. */
class DataModelContract extends JobsContract {
    private static final long TIME = NOON.getEpochSecond();

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private static byte[] json(int step) {
        return ("{\"step\":" + step + "}").getBytes(StandardCharsets.UTF_8);
    }

    /** The five elements of the RFC; the library may keep more behind them. */
    private List<Object> data(String jobId) {
        return rows.value("data", "index", jobId).subList(0, 5);
    }

    private Versionstamp sequence(String jobId) {
        return (Versionstamp) data(jobId).get(0);
    }

    private static List<@Nullable Object> row(@Nullable Object... elements) {
        return Arrays.asList(elements);
    }

    private String hex(byte[] key) {
        byte[] after = Arrays.copyOfRange(key, prefix.pack().length, key.length);
        return HexFormat.of().formatHex(after);
    }

    @Test
    void keysAreTuplesUnderTheCallersPrefix() {
        addAt("j1", 1, NOON);

        List<byte[]> keys = await(
                        database.readAsync(tx -> tx.getRange(prefix.range()).asList()))
                .stream()
                .map(row -> row.getKey())
                .toList();

        String root = "02" + HexFormat.of().formatHex("couch_jobs".getBytes(StandardCharsets.UTF_8)) + "00";
        String index = "02696e64657800";
        String j1 = "026a3100";
        assertThat(keys.stream().map(this::hex))
                .allMatch(key -> key.startsWith(root))
                .contains(
                        root + "026461746100" + index + j1,
                        root + "0270656e64696e6700" + index + "18" + Long.toHexString(TIME) + j1,
                        root + "02776174636865735f70656e64696e6700" + index,
                        root + "02776174636865735f616374697669747900" + index,
                        root + "0261637469766974795f74696d656f757400" + index);
    }

    @Test
    void aPendingJobHasSequenceZeroAndNoLock() {
        add("j1", 1);
        addAt("j2", 2, NOON);

        assertThat(data("j1").subList(0, 4)).isEqualTo(row(0L, null, 0L, false));
        assertThat((byte[]) data("j1").get(4)).isEqualTo(json(1));
        assertThat(data("j2").subList(0, 4)).isEqualTo(row(0L, null, TIME, false));
        assertThat(rows.under("pending", "index")).containsExactly(Tuple.from(0, "j1"), Tuple.from(TIME, "j2"));
        assertThat(rows.bytes("pending", "index", 0, "j1")).isEmpty();
        assertThat(rows.under("activity", "index")).isEmpty();
    }

    @Test
    void aRunningJobHasALockAndTheSequenceOfItsActivityRow() {
        Job<WorkData> job = accepted("j1", 1);

        assertThat(data("j1").subList(1, 4)).isEqualTo(row(job.lock(), 0L, false));
        assertThat(sequence("j1").isComplete()).isTrue();
        assertThat(rows.under("activity", "index")).containsExactly(Tuple.from(sequence("j1")));
        assertThat(rows.value("activity", "index", sequence("j1"))).isEqualTo(row("j1"));
        assertThat(rows.value("watches_activity", "index")).isEqualTo(row(sequence("j1")));
        assertThat(rows.under("pending", "index")).isEmpty();
    }

    @Test
    void anUpdateMovesTheActivityRow() {
        Job<WorkData> job = accepted("j1", 1);
        Versionstamp claimed = sequence("j1");

        await(jobs.processor().update(database, job));

        assertThat(sequence("j1")).isGreaterThan(claimed);
        assertThat(rows.under("activity", "index")).containsExactly(Tuple.from(sequence("j1")));
        assertThat(data("j1").get(1)).isEqualTo(job.lock());
    }

    @Test
    void aResubmittedJobCarriesTheFlagAndTheTime() {
        Job<WorkData> job = accepted("j1", 1);
        Versionstamp claimed = sequence("j1");

        await(jobs.processor().resubmit(database, job, NOON));

        assertThat(data("j1").subList(0, 4)).isEqualTo(row(claimed, job.lock(), TIME, true));
        assertThat(rows.under("pending", "index")).isEmpty();
        await(jobs.processor().finish(database, job));
        assertThat(data("j1").subList(0, 4)).isEqualTo(row(0L, null, TIME, false));
        assertThat(rows.under("pending", "index")).containsExactly(Tuple.from(TIME, "j1"));
    }

    @Test
    void aFinishedJobHasNeitherLockNorSequenceNorAnyIndexRow() {
        await(jobs.processor().finish(database, accepted("j1", 1), new WorkData(2)));

        assertThat(data("j1").subList(0, 4)).isEqualTo(row(null, null, 0L, false));
        assertThat((byte[]) data("j1").get(4)).isEqualTo(json(2));
        assertThat(rows.under("pending", "index")).isEmpty();
        assertThat(rows.under("activity", "index")).isEmpty();
    }

    @Test
    void aRemovedJobLeavesNothingWhateverItsState() {
        addAt("pending", 1, NOON);
        await(jobs.remove(database, INDEX, "pending"));
        accepted("running", 1);
        await(jobs.remove(database, INDEX, "running"));
        await(jobs.processor().finish(database, accepted("finished", 1)));
        await(jobs.remove(database, INDEX, "finished"));

        for (String table : List.of("data", "pending", "activity", "payload")) {
            assertThat(rows.under(table)).as(table).isEmpty();
        }
    }

    @Test
    void theTimeoutOfATypeIsInSeconds() {
        await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofMinutes(2)));

        assertThat(rows.value("activity_timeout", "mail")).isEqualTo(row(120L));
        await(jobs.types().clearTypeTimeout(database, MAIL));
        assertThat(rows.isThere("activity_timeout", "mail")).isFalse();
    }

    @Test
    void jobsChangedInOneTransactionHaveSequencesThatDifferInTheirUserVersions() {
        Job<WorkData> j1 = accepted("j1", 1);
        Job<WorkData> j2 = accepted("j2", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, j1));
            await(jobs.processor().update(tx, j2));
        });

        assertThat(sequence("j1").getTransactionVersion())
                .isEqualTo(sequence("j2").getTransactionVersion());
        assertThat(sequence("j1")).isNotEqualTo(sequence("j2"));
        assertThat(rows.under("activity", "index"))
                .containsExactlyInAnyOrder(Tuple.from(sequence("j1")), Tuple.from(sequence("j2")));
    }

    @Test
    void everyEnqueueChangesThePendingWatchKeyAndNothingElseDoes() {
        CompletableFuture<Void> added = rows.nextChange("watches_pending", "index");
        add("j1", 1);
        await(added);

        byte[] before = rows.bytes("watches_pending", "index");
        Job<WorkData> job = accept();
        await(jobs.processor().update(database, job, new WorkData(2)));
        await(jobs.processor().resubmit(database, job));
        assertThat(rows.bytes("watches_pending", "index")).isEqualTo(before);

        CompletableFuture<Void> enqueuedAgain = rows.nextChange("watches_pending", "index");
        await(jobs.processor().finish(database, job));
        await(enqueuedAgain);
    }

    @Test
    void everyChangeOfAJobChangesTheActivityWatchKey() {
        CompletableFuture<Void> added = rows.nextChange("watches_activity", "index");
        add("j1", 1);
        await(added);
        CompletableFuture<Void> accepted = rows.nextChange("watches_activity", "index");
        Job<WorkData> job = accept();
        await(accepted);
        CompletableFuture<Void> updated = rows.nextChange("watches_activity", "index");
        await(jobs.processor().update(database, job, new WorkData(2)));
        await(updated);
        CompletableFuture<Void> finished = rows.nextChange("watches_activity", "index");
        await(jobs.processor().finish(database, job));
        await(finished);
        CompletableFuture<Void> removed = rows.nextChange("watches_activity", "index");
        await(jobs.remove(database, INDEX, "j1"));
        await(removed);
    }

    @Test
    void theStateFollowsFromLockAndSequenceAlone() {
        rows.put(Tuple.from(0, null, 0, false, json(1)), "data", "index", "pending");
        rows.put(Tuple.from(null, null, 0, false, json(1)), "data", "index", "finished");

        assertThat(stateOf("pending")).isEqualTo(JobState.PENDING);
        assertThat(stateOf("finished")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("finished")).isEqualTo(1);
    }

    @Test
    void aPendingRowThatItsJobDoesNotBearOutIsClearedAndTheNextJobTaken() {
        await(jobs.processor().finish(database, accepted("finished", 1)));
        rows.put(Tuple.from(), "pending", "index", 0, "a ghost");
        rows.put(Tuple.from(), "pending", "index", 0, "finished");
        CompletableFuture<Optional<Job<WorkData>>> waiting = jobs.processor().accept(INDEX);
        add("j1", 1);

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");

        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(rows.under("pending", "index")).isEmpty();
        assertThat(stateOf("finished")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aLargePayloadIsKeptInChunksAndGoesWithItsJob() {
        String large = "x".repeat(100_000);
        await(jobs.types().setTypeTimeout(database, Texts.TYPE, Duration.ofMinutes(10)));
        await(jobs.add(database, Texts.TYPE, "j1", large));

        assertThat(rows.under("payload", "text")).containsExactly(Tuple.from("j1", 0), Tuple.from("j1", 1));
        byte[] stored =
                ByteArrayUtil.join(rows.bytes("payload", "text", "j1", 0), rows.bytes("payload", "text", "j1", 1));
        assertThat(new String(stored, StandardCharsets.UTF_8)).isEqualTo("\"" + large + "\"");

        await(jobs.add(database, Texts.TYPE, "j1", "small"));
        assertThat(rows.under("payload", "text")).isEmpty();
    }

    @Test
    void thousandsOfPendingRowsThatNoJobBearsOutAreClearedAndTheJobBehindThemTaken() {
        commit(tx -> {
            for (int i = 0; i < 2_000; i++) {
                tx.set(rows.key("pending", "index", 0, "a ghost " + i), new byte[0]);
            }
        });
        add("j1", 1);

        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                        .orElseThrow()
                        .id())
                .isEqualTo("j1");
        assertThat(rows.under("pending", "index")).isEmpty();
    }
}
