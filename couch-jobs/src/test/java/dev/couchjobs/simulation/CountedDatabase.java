package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a database that counts the transactions begun through it; for one that makes no retries. */
final class CountedDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "read", "runAsync", "readAsync", "createTransaction");

    private final AtomicInteger transactions = new AtomicInteger();
    private final Database database;

    CountedDatabase(Database target) {
        database = (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Database.class}, (proxy, method, arguments) -> {
                    if (TRANSACTIONS.contains(method.getName())) {
                        transactions.incrementAndGet();
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    Database asDatabase() {
        return database;
    }

    int transactions() {
        return transactions.get();
    }
}
