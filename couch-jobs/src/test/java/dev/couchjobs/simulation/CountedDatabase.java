package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.contract.Forwarding;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a database that counts the transactions begun through it; for one that makes no retries. */
final class CountedDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "read", "runAsync", "readAsync", "createTransaction");

    private final AtomicInteger transactions = new AtomicInteger();
    private final Database database;

    CountedDatabase(Database target) {
        database = Forwarding.to(Database.class, (self, method, arguments) -> {
            if (TRANSACTIONS.contains(method.getName())) {
                transactions.incrementAndGet();
            }
            return Forwarding.invoke(target, method, arguments);
        });
    }

    Database asDatabase() {
        return database;
    }

    int transactions() {
        return transactions.get();
    }
}
