package dev.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which verbs a transaction of a thread concerns. What frameworks do with it is tested with them. */
@Timeout(60)
class ThreadTransactionTest {
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Database other = EmbeddedDatabase.openInMemory();
    private final CouchJobs jobs = CouchJobs.on(database);
    private final Transaction transaction = database.createTransaction();

    @BeforeEach
    void bind() {
        ThreadTransaction.bind(database, transaction);
    }

    @AfterEach
    void close() {
        ThreadTransaction.unbind(database);
        transaction.close();
        jobs.close();
        other.close();
        database.close();
    }

    private void assertRefused(Database given) {
        assertThatThrownBy(() -> jobs.add(given, MAIL, "m", "ann"))
                .isInstanceOf(TransactionBypassedException.class)
                .hasMessageContaining("Pass the open transaction");
    }

    @Test
    void theDatabaseIsRefusedUntilTheTransactionIsUnbound() {
        assertRefused(database);
        jobs.add(transaction, MAIL, "m", "ann").join();

        ThreadTransaction.unbind(database);

        assertThat(jobs.add(database, MAIL, "m", "ann").join().change()).isEqualTo(AddResult.Change.ADDED);
        assertThat(ThreadTransaction.of(database)).isEmpty();
    }

    @Test
    void aWrapperIsTheDatabaseThatItWraps() {
        assertRefused((Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(),
                new Class<?>[] {Database.class},
                (proxy, method, arguments) -> method.invoke(database, arguments)));
    }

    @Test
    void transactionsOfSeveralDatabasesAreBoundAtATime() {
        try (Transaction another = other.createTransaction()) {
            ThreadTransaction.bind(other, another);
            assertRefused(database);
            ThreadTransaction.unbind(other);
        }
        assertRefused(database);
        assertThat(ThreadTransaction.of(database)).contains(transaction);
        assertThat(ThreadTransaction.of(other)).isEmpty();
    }

    @Test
    void oneTransactionOfADatabaseIsBoundAtATime() {
        assertThatThrownBy(() -> ThreadTransaction.bind(database, transaction))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("unbind");
    }

    @Test
    void codeMayRunWithoutTheTransaction() {
        String added = ThreadTransaction.without(() -> {
            assertThat(ThreadTransaction.of(database)).isEmpty();
            return jobs.add(database, MAIL, "m", "ann").join().jobId();
        });

        assertThat(added).isEqualTo("m");
        assertRefused(database);
    }

    @Test
    void otherThreadsHaveNone() {
        assertThat(CompletableFuture.supplyAsync(() -> ThreadTransaction.of(database))
                        .join())
                .isEmpty();
    }
}
