package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CountingDatabaseTest {
    private final Database database = EmbeddedDatabase.openInMemory();
    private final CountingDatabase counted = new CountingDatabase(database);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void whatIsAskedOfTheDatabaseIsCountedOncePerTransaction() {
        Traffic before = counted.traffic();
        Database way = counted.asDatabase();
        byte[] key = {1, 2};
        way.run(tx -> {
            tx.get(key).join();
            tx.set(key, new byte[3]);
            tx.clear(key, new byte[] {1, 3});
            tx.snapshot().getRange(key, new byte[] {1, 3}).asList().join();
            return tx.run(self -> tx.snapshot().get(key).join());
        });
        way.readAsync(tx -> tx.get(key)).join();
        assertThat(counted.traffic().since(before)).isEqualTo(new Traffic(2, 1, 0, 2, 9, 3, 1, 0, 0));
    }

    @Test
    void ofATransactionThatConflictsTheLastTryIsCounted() {
        Traffic before = counted.traffic();
        byte[] key = {1};
        AtomicInteger tries = new AtomicInteger();
        counted.asDatabase().run(tx -> {
            tx.get(key).join();
            if (tries.incrementAndGet() == 1) {
                database.run(other -> {
                    other.set(key, key);
                    return key;
                });
            }
            tx.set(key, new byte[0]);
            return key;
        });
        assertThat(counted.traffic().since(before)).isEqualTo(new Traffic(1, 1, 1, 1, 1, 1, 0, 0, 0));
    }

    @Test
    void aTransactionThatItsUserTriesAgainIsCountedOnceItIsClosed() {
        Traffic before = counted.traffic();
        byte[] key = {1};
        Transaction first = counted.asDatabase().createTransaction();
        first.set(key, key);
        Transaction second = first.onError(new CompletionException(conflict())).join();
        second.set(key, new byte[0]);
        second.commit().join();
        second.close();
        assertThat(counted.traffic().since(before)).isEqualTo(new Traffic(1, 1, 1, 1, 1, 0, 0, 0, 0));
    }

    private static FDBException conflict() {
        return new FDBException("not_committed", 1020);
    }
}
