package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.contract.DatabaseProxies;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a database that counts the transactions begun through it; for one that makes no retries. */
final class TransactionCountingDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "read", "runAsync", "readAsync", "createTransaction");

    private final AtomicInteger transactions = new AtomicInteger();
    private final Database database;

    TransactionCountingDatabase(Database target) {
        database = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (TRANSACTIONS.contains(method.getName())) {
                transactions.incrementAndGet();
            }
            return DatabaseProxies.invoke(target, method, arguments);
        });
    }

    Database asDatabase() {
        return database;
    }

    int transactions() {
        return transactions.get();
    }
}
