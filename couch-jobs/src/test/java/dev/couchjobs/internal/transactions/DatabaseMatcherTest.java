package dev.couchjobs.internal.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.DatabaseOptions;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One database is known behind wrappers, and through two connections to one cluster. */
class DatabaseMatcherTest {
    private final Database database = EmbeddedDatabase.openInMemory();
    private final Database another = EmbeddedDatabase.openInMemory();

    @AfterEach
    void close() {
        database.close();
        another.close();
    }

    private static boolean isOwn(Database own, Database given) {
        return new DatabaseMatcher(own, Database::createTransaction)
                .matches(given)
                .join();
    }

    private static Database wrapped(Database target) {
        return DatabaseProxies.to(
                Database.class, (self, method, arguments) -> DatabaseProxies.invoke(target, method, arguments));
    }

    private static Database withOptions(Database target, Supplier<DatabaseOptions> options) {
        return DatabaseProxies.to(
                Database.class,
                (self, method, arguments) -> method.getName().equals("options")
                        ? options.get()
                        : DatabaseProxies.invoke(target, method, arguments));
    }

    private static DatabaseOptions optionsOf(Database target) {
        return new DatabaseOptions(target.options().getOptionConsumer());
    }

    /** A connection to a cluster, with options of its own. */
    private static Database connection(Database target, String connectionString) {
        DatabaseOptions options = optionsOf(target);
        byte[] known = connectionString.getBytes(StandardCharsets.US_ASCII);
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> switch (method.getName()) {
            case "options" -> options;
            case "createTransaction" -> knowing(target.createTransaction(), known);
            default -> DatabaseProxies.invoke(target, method, arguments);
        });
    }

    private static Transaction knowing(Transaction tx, byte[] connectionString) {
        return DatabaseProxies.to(
                Transaction.class,
                (self, method, arguments) -> method.getName().equals("get")
                        ? CompletableFuture.completedFuture(connectionString)
                        : DatabaseProxies.invoke(tx, method, arguments));
    }

    @Test
    void aDatabaseIsItselfAndNoOther() {
        assertThat(isOwn(database, database)).isTrue();
        assertThat(isOwn(database, another)).isFalse();
    }

    @Test
    void aTransactionIsOfItsDatabase() {
        try (Transaction tx = wrapped(database).createTransaction()) {
            assertThat(isOwn(wrapped(database), tx.getDatabase())).isTrue();
        }
    }

    @Test
    void aWrapperIsWhatItStandsFor() {
        assertThat(isOwn(database, wrapped(database))).isTrue();
        assertThat(isOwn(wrapped(database), wrapped(wrapped(database)))).isTrue();
        assertThat(isOwn(wrapped(database), wrapped(another))).isFalse();
    }

    @Test
    void aWrapperThatDoesNotTellForWhatItStandsIsAccepted() {
        Database secretive = withOptions(database, () -> optionsOf(database));

        assertThat(isOwn(database, secretive)).isTrue();
        assertThat(isOwn(secretive, database)).isTrue();
    }

    @Test
    void twoConnectionsAreToOneClusterIfItsDescriptionIsTheSame() {
        Database one = connection(database, "orders:a1@10.0.0.1:4500,10.0.0.2:4500");

        assertThat(isOwn(one, connection(another, "orders:b2@10.0.0.3:4500"))).isTrue();
        assertThat(isOwn(one, connection(another, "invoices:a1@10.0.0.1:4500"))).isFalse();
        assertThat(isOwn(one, database)).isFalse();
        assertThat(isOwn(database, one)).isFalse();
    }
}
