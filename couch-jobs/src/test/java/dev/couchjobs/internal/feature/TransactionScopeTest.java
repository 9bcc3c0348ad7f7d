package dev.couchjobs.internal.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.faults.Script;
import dev.couchjobs.faults.StepFault;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.internal.job.WrittenRows;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.RowKey;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.transactions.HandlerTries;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a process remembers what a transaction wrote. */
class TransactionScopeTest {
    private static final RowKey KEY = new RowKey(new byte[] {1});

    private final VirtualStage stage = new VirtualStage(3);
    private final Script script = new Script();
    private final Database database = new FaultyDatabase(stage.database(), script);
    private final Keyspace keyspace = new Keyspace(new Subspace());
    private final Transactions transactions = new Transactions(
            stage.environment(), keyspace, Duration.ofSeconds(5), TransactionLabel.tagged("test", false));
    private final List<Transaction> tries = new ArrayList<>();

    @AfterEach
    void close() {
        stage.close();
    }

    private Integer write(Transaction tx) {
        tries.add(tx);
        WrittenRows.remember(TransactionScope.of(tx), KEY, null);
        tx.set(KEY.bytes(), KEY.bytes());
        return 7;
    }

    private CompletableFuture<Integer> writeAsync(Transaction tx) {
        return CompletableFuture.completedFuture(write(tx));
    }

    private void assertForgotten(int expectedTries) {
        assertThat(tries).hasSize(expectedTries);
        assertThat(tries).allSatisfy(tx -> {
            assertThat(WrittenRows.find(tx, KEY)).isEmpty();
            assertThat(WrittenRows.find(tx.snapshot(), KEY)).isEmpty();
        });
    }

    private HandlerTries handlerTries() {
        return new HandlerTries(stage.environment().clock(), "a job", 3);
    }

    @Test
    void nothingIsRememberedOfATransactionThatHasCommitted() {
        stage.await(transactions.run(database, this::writeAsync));
        assertForgotten(1);
    }

    @Test
    void norOfATryThatHasFailed() {
        script.next(StepFault.CONFLICT);
        stage.await(transactions.run(database, this::writeAsync));
        assertForgotten(2);
    }

    @Test
    void norOfATransactionThatWasGivenUp() {
        CompletableFuture<Integer> result = transactions.run(database, tx -> {
            write(tx);
            return CompletableFuture.failedFuture(new IllegalStateException("no"));
        });
        assertThatThrownBy(() -> stage.await(result)).hasMessageContaining("no");
        assertForgotten(1);
    }

    @Test
    void norOfAVerbWithOneEffect() {
        stage.await(transactions.runOnce(database, List.of(), jobs -> writeAsync(jobs.tx())));
        assertForgotten(1);
    }

    @Test
    void norOfTransactionsOfHandlers() {
        stage.await(transactions.runHandlerTransactionAsync(database, handlerTries(), this::writeAsync));
        assertForgotten(1);
    }

    @Test
    void norOfTransactionsOfHandlersThatBlock() {
        try (Database waiting = EmbeddedDatabase.openInMemory()) {
            assertThat(transactions.runHandlerTransaction(waiting, handlerTries(), this::write))
                    .isEqualTo(7);
            assertForgotten(1);
        }
    }

    /** The caller commits later, or adds further jobs before. */
    @Test
    void aTransactionOfTheCallerIsRememberedUntilTheCallerEndsIt() {
        try (Transaction tx = database.createTransaction()) {
            stage.await(transactions.run(tx, this::writeAsync));
            assertThat(WrittenRows.find(tx, KEY)).isPresent();
        }
    }

    @Test
    void soIsOneThatTheCallerHidesInAContext() {
        try (Transaction tx = database.createTransaction()) {
            TransactionContext context = DatabaseProxies.to(
                    TransactionContext.class,
                    (self, method, arguments) -> DatabaseProxies.invoke(tx, method, arguments));
            stage.await(transactions.run(context, this::writeAsync));
            assertThat(WrittenRows.find(tx, KEY)).isPresent();
        }
    }

    @Test
    void eachSettlerTakesEachChangeOnce() {
        try (Transaction tx = database.createTransaction()) {
            SavedChange first = removed("first");
            SavedChange second = removed("second");
            ChangeList.of(TransactionScope.of(tx)).add(first);
            assertThat(JobStore.takeChanges(tx, 0, 2)).containsExactly(first);
            ChangeList.of(TransactionScope.of(tx)).add(second);

            assertThat(JobStore.takeChanges(tx, 1, 2)).containsExactly(first, second);
            assertThat(JobStore.takeChanges(tx, 0, 2)).containsExactly(second);
            assertThat(JobStore.takeChanges(tx, 0, 2)).isEmpty();
            assertThat(JobStore.takeChanges(tx, 1, 2)).isEmpty();
        }
    }

    private SavedChange removed(String id) {
        return new SavedChange(keyspace.job("type", id), null, null, null, SavedChange.Origin.TABLE);
    }
}
