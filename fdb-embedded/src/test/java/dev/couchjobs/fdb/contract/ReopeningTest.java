package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TemporaryDirectories;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What of a database on disk is still so after it has been closed and opened again. */
class ReopeningTest {

    private static final int TOO_OLD = 1007;
    private static final int CLOSED = 1101;

    private final Path directory = TemporaryDirectories.fresh();
    private final PrefixKeys keys = new PrefixKeys();
    private Database database;

    @BeforeEach
    void open() {
        database = EmbeddedDatabase.open(directory);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void reopen() {
        close();
        open();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void everyKindOfWriteIsThereAgain(Durability durability) {
        close();
        database = EmbeddedDatabase.open(directory, durability);
        commit(tr -> {
            set(tr, "kept", "1");
            set(tr, "cleared", "1");
            set(tr, "in the range", "1");
            set(tr, "replaced", "1");
            set(tr, "compared", "1");
            set(tr, "sum", "\5");
        });
        byte[] stamp = EngineFutures.await(database.run(tr -> {
            tr.clear(keys.key("cleared"));
            tr.clear(keys.key("in"), keys.key("io"));
            set(tr, "replaced", "2");
            tr.mutate(MutationType.ADD, keys.key("sum"), bytes("\2"));
            tr.mutate(MutationType.COMPARE_AND_CLEAR, keys.key("compared"), bytes("1"));
            tr.mutate(
                    MutationType.SET_VERSIONSTAMPED_KEY,
                    VersionstampOperands.operand(keys.key("stamped"), new byte[0]),
                    bytes("value"));
            tr.mutate(
                    MutationType.SET_VERSIONSTAMPED_VALUE,
                    keys.key("stamp"),
                    VersionstampOperands.operand(new byte[0], new byte[0]));
            return tr.getVersionstamp();
        }));

        reopen();
        String text = PrefixKeys.text(stamp);
        assertThat(rows())
                .containsExactly("kept=1", "replaced=2", "stamp=" + text, "stamped" + text + "=value", "sum=\7");
    }

    @Test
    void rowsOfAllSizesAreThereAgain() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            rows.put("%03d".formatted(i) + "k".repeat(i), ("" + i % 10).repeat(i * 7));
        }
        rows.put("large", "x".repeat(100_000));
        commit(tr -> rows.forEach((name, value) -> set(tr, name, value)));
        reopen();
        assertThat(rows())
                .isEqualTo(rows.entrySet().stream()
                        .map(row -> row.getKey() + "=" + row.getValue())
                        .toList());
    }

    @Test
    void whatWasNotCommittedIsNotThere() {
        commit(tr -> set(tr, "a", "old"));
        Transaction open = database.createTransaction();
        set(open, "a", "new");
        Transaction failed = database.createTransaction();
        EngineFutures.await(failed.get(keys.key("a")));
        set(failed, "a", "newer");
        commit(tr -> set(tr, "a", "other"));
        assertThat(EngineFutures.codeOf(failed.commit())).isEqualTo(FdbContract.CONFLICT);
        reopen();
        assertThat(rows()).containsExactly("a=other");
    }

    @Test
    void allOfAnAcknowledgedCommitIsThereThoughTheDatabaseWasClosedMeanwhile() {
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Transaction tr = database.createTransaction();
            set(tr, "one%02d".formatted(i), "");
            set(tr, "two%02d".formatted(i), "");
            commits.add(tr.commit());
        }
        reopen();
        List<String> rows = rows();
        for (int i = 0; i < 100; i++) {
            boolean one = rows.contains("one%02d=".formatted(i));
            assertThat(rows.contains("two%02d=".formatted(i))).isEqualTo(one);
            assertThat(one || EngineFutures.codeOf(commits.get(i)) != 0).isTrue();
        }
    }

    @Test
    void versionsAreGreaterThanAllBefore() {
        long last = 0;
        byte[] lastStamp = new byte[VersionstampOperands.LENGTH];
        for (int i = 0; i < 3; i++) {
            assertThat(readVersion()).isGreaterThan(last);
            Transaction tr = database.createTransaction();
            set(tr, "a", "" + i);
            CompletableFuture<byte[]> stamp = tr.getVersionstamp();
            EngineFutures.await(tr.commit());
            assertThat(tr.getCommittedVersion()).isGreaterThan(last);
            assertThat(ByteArrayUtil.compareUnsigned(EngineFutures.await(stamp), lastStamp))
                    .isPositive();
            last = readVersion();
            lastStamp = EngineFutures.await(stamp);
            reopen();
        }
    }

    @Test
    void readVersionsAreGreaterThanAllBeforeThoughNobodyCommits() {
        for (int i = 0; i < 3; i++) {
            long before = readVersion();
            reopen();
            assertThat(readVersion()).isGreaterThan(before);
        }
    }

    @Test
    void aReadVersionOfBeforeIsTooOld() {
        commit(tr -> set(tr, "a", "1"));
        long before = readVersion();
        reopen();
        try (Transaction tr = database.createTransaction()) {
            tr.setReadVersion(before);
            assertThat(EngineFutures.codeOf(tr.get(keys.key("a")))).isEqualTo(TOO_OLD);
        }
        try (Transaction tr = database.createTransaction()) {
            tr.setReadVersion(before);
            tr.addReadConflictKey(keys.key("a"));
            set(tr, "b", "1");
            assertThat(EngineFutures.codeOf(tr.commit())).isEqualTo(TOO_OLD);
        }
    }

    @Test
    void watchesAndTransactionsEndWithTheDatabaseTheyBelongTo() {
        CompletableFuture<Void> watch = database.run(tr -> tr.watch(keys.key("a")));
        Transaction tr = database.createTransaction();
        set(tr, "a", "late");
        reopen();
        assertThat(EngineFutures.codeOf(watch)).isEqualTo(CLOSED);
        assertThat(EngineFutures.codeOf(tr.get(keys.key("a")))).isEqualTo(CLOSED);
        assertThat(EngineFutures.codeOf(tr.commit())).isEqualTo(CLOSED);
        assertThat(rows()).isEmpty();
    }

    @Test
    void atomicOperationsApplyToWhatWasThereBefore() {
        for (int i = 0; i < 5; i++) {
            commit(tr -> tr.mutate(MutationType.ADD, keys.key("sum"), bytes("\1")));
            reopen();
        }
        assertThat(rows()).containsExactly("sum=\5");
    }

    private void commit(Consumer<Transaction> body) {
        database.run(tr -> {
            body.accept(tr);
            return true;
        });
    }

    private void set(Transaction tr, String name, String value) {
        tr.set(keys.key(name), bytes(value));
    }

    private long readVersion() {
        return database.read(tr -> EngineFutures.await(tr.getReadVersion()));
    }

    private List<String> rows() {
        return database.read(
                tr -> keys.rows(EngineFutures.await(tr.getRange(keys.all()).asList())));
    }

    private static byte[] bytes(String text) {
        return PrefixKeys.bytes(text);
    }
}
