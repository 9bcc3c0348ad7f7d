package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The life of a transaction: read versions, commit, cancel, close. */
class LifecycleContract extends FdbContract {

    private static final int TOO_OLD = 1007;
    private static final int FUTURE_VERSION = 1009;
    private static final int CANCELLED = 1025;
    private static final int USED_DURING_COMMIT = 2017;

    @Test
    void thereIsNoCommittedVersionBeforeACommit() {
        Transaction tr = begin();
        get(tr, "a");
        assertThat(tr.getCommittedVersion()).isEqualTo(-1);
    }

    @Test
    void aCommitWithoutWritesHasNoVersion() {
        Transaction tr = begin();
        get(tr, "a");
        await(tr.commit());
        assertThat(tr.getCommittedVersion()).isEqualTo(-1);
    }

    @Test
    void aCommitWithWritesHasAVersionAfterItsReadVersion() {
        Transaction tr = begin();
        long readVersion = await(tr.getReadVersion());
        set(tr, "a", "1");
        await(tr.commit());
        assertThat(tr.getCommittedVersion()).isGreaterThan(readVersion);
        assertThat(await(begin().getReadVersion())).isGreaterThanOrEqualTo(tr.getCommittedVersion());
    }

    @Test
    void theReadVersionOfACommitWithoutReadsIsFromBeforeIt() {
        Transaction tr = begin();
        set(tr, "a", "1");
        await(tr.commit());

        assertThat(await(tr.getReadVersion())).isLessThan(tr.getCommittedVersion());
    }

    @Test
    void theNextAttemptShowsTheVersionOfTheLastCommit() {
        Transaction first = begin();
        set(first, "a", "1");
        await(first.commit());
        long committed = first.getCommittedVersion();

        Transaction second = await(first.onError(new FDBException("again", CONFLICT)));
        assertThat(second.getCommittedVersion()).isEqualTo(committed);
        set(second, "a", "2");
        assertThat(second.getCommittedVersion()).isEqualTo(committed);
        await(second.commit());
        assertThat(second.getCommittedVersion()).isGreaterThan(committed);
        second.close();
    }

    @Test
    void aCommitWithoutWritesForgetsTheVersionOfAnEarlierAttempt() {
        Transaction first = begin();
        set(first, "a", "1");
        await(first.commit());

        Transaction second = await(first.onError(new FDBException("again", CONFLICT)));
        await(second.commit());
        assertThat(second.getCommittedVersion()).isEqualTo(-1);
        second.close();
    }

    @Test
    void anUntouchedTransactionCommits() {
        await(begin().commit());
    }

    @Test
    void aTransactionKnowsItsDatabaseAndExecutor() {
        Transaction tr = begin();
        assertThat(tr.getDatabase()).isSameAs(database());
        assertThat(tr.getExecutor()).isSameAs(database().getExecutor());
    }

    @Test
    void anExecutorCanBeGivenToATransaction() {
        try (Transaction tr = database().createTransaction(Runnable::run)) {
            assertThat(get(tr, "a")).isNull();
            assertThat(tr.getExecutor()).isNotSameAs(database().getExecutor());
        }
    }

    @Test
    void aFutureReadVersionIsRefused() {
        Transaction tr = begin();
        tr.setReadVersion(await(begin().getReadVersion()) + 1_000_000_000_000L);
        assertFailsWith(FUTURE_VERSION, tr.get(key("a")));
        assertFailsWith(FUTURE_VERSION, tr.commit());
    }

    @Test
    void anOldReadVersionIsRefused() {
        Transaction reader = begin();
        reader.setReadVersion(1);
        assertFailsWith(TOO_OLD, reader.get(key("a")));
        assertFailsWith(TOO_OLD, reader.commit());
    }

    @Test
    void aCommitThatReadAtAnOldVersionIsRefused() {
        Transaction tr = begin();
        tr.setReadVersion(1);
        tr.addReadConflictKey(key("a"));
        set(tr, "a", "1");
        assertFailsWith(TOO_OLD, tr.commit());
    }

    @Test
    void aReadVersionCannotBeSetTwice() {
        Transaction tr = begin();
        tr.setReadVersion(await(begin().getReadVersion()));
        tr.setReadVersion(1);
        assertFailsWith(2010, tr.get(key("a")));
        Transaction reader = begin();
        long version = await(reader.getReadVersion());
        reader.setReadVersion(version);
        assertFailsWith(2010, reader.get(key("a")));
    }

    @Test
    void aReadVersionIsPositive() {
        Transaction tr = begin();
        tr.setReadVersion(0);
        assertFailsWith(2011, tr.get(key("a")));
    }

    @Test
    void aCancelledTransactionFailsFromThenOn() {
        Transaction tr = begin();
        set(tr, "a", "1");
        tr.cancel();
        assertFailsWith(CANCELLED, tr.get(key("a")));
        assertFailsWith(CANCELLED, tr.getKey(from("a")));
        assertFailsWith(CANCELLED, tr.getRange(prefixKeys().all()).asList());
        assertFailsWith(CANCELLED, tr.getReadVersion());
        assertFailsWith(CANCELLED, tr.watch(key("a")));
        assertFailsWith(CANCELLED, tr.commit());
        assertThat(committed("a")).isNull();
    }

    @Test
    void aCancelledTransactionCannotBeRetried() {
        Transaction tr = begin();
        tr.cancel();
        assertFailsWith(CANCELLED, tr.onError(new FDBException("again", CONFLICT)));
    }

    @Test
    void cancellingAgainChangesNothing() {
        Transaction tr = begin();
        tr.cancel();
        tr.cancel();
        assertFailsWith(CANCELLED, tr.commit());
    }

    @Test
    void aCancelledTransactionHasNoStamp() {
        Transaction tr = begin();
        set(tr, "a", "1");
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        tr.cancel();
        assertFailsWith(CANCELLED, stamp);
    }

    @Test
    void aCommittedTransactionIsUsedUp() {
        Transaction tr = begin();
        set(tr, "a", "1");
        CompletableFuture<Void> commit = tr.commit();
        assertUsedUp(tr);
        await(commit);
        assertUsedUp(tr);
        assertThat(committed("a")).isEqualTo("1");
    }

    @Test
    void aTransactionCommittedWithoutWritesIsUsedUp() {
        Transaction tr = begin();
        get(tr, "a");
        await(tr.commit());
        assertUsedUp(tr);
    }

    @Test
    void aTransactionThatFailedToCommitIsUsedUp() {
        Transaction tr = beginNow();
        get(tr, "a");
        set(tr, "a", "1");
        given("a", "2");
        assertFailsWith(CONFLICT, tr.commit());
        assertThat(tr.getCommittedVersion()).isEqualTo(-1);
        assertUsedUp(tr);
    }

    private void assertUsedUp(Transaction tr) {
        assertFailsWith(USED_DURING_COMMIT, tr.get(key("a")));
        assertFailsWith(USED_DURING_COMMIT, tr.getKey(from("a")));
        assertFailsWith(USED_DURING_COMMIT, tr.getRange(prefixKeys().all()).asList());
        assertFailsWith(USED_DURING_COMMIT, tr.getVersionstamp());
        assertFailsWith(USED_DURING_COMMIT, tr.watch(key("a")));
        set(tr, "a", "late");
        assertFailsWith(USED_DURING_COMMIT, tr.commit());
    }

    @Test
    void aClosedTransactionRefusesEverything() {
        Transaction tr = database().createTransaction();
        tr.close();
        tr.close();
        assertThatThrownBy(() -> tr.get(key("a"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> set(tr, "a", "1")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tr::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tr::getReadVersion).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tr::cancel).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> tr.options().setRetryLimit(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aClosedDatabaseStartsNoTransactions() {
        Database database = engine.open();
        database.close();
        database.close();
        assertThatThrownBy(database::createTransaction).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> database.run(tr -> tr)).isInstanceOf(IllegalStateException.class);
    }
}
