package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Decides whether a database is that of an instance. A wrapper counts as the database that it wraps: wrappers pass on
 * the options object of the wrapped database.
 *
 * <p>A cluster that was opened twice has two options objects. FoundationDB's client and the embedded engine return the
 * connection string, whose description is the same for both. A database that cannot be identified counts as the
 * instance's.
 */
final class DatabaseMatcher {
    private static final byte[] CONNECTION_STRING = ByteArrayUtil.join(
            new byte[] {(byte) 0xFF, (byte) 0xFF}, "/connection_string".getBytes(StandardCharsets.US_ASCII));

    private final Database own;
    /** Whether other databases match, by their options objects. */
    private final Cache<Object, Boolean> matchesByOptions =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    private final Function<Database, Transaction> open;

    /** @param open begins a transaction that reads the connection string from the client */
    DatabaseMatcher(Database own, Function<Database, Transaction> open) {
        this.own = own;
        this.open = open;
    }

    CompletableFuture<Boolean> matches(Database given) {
        if (given == own || !differs(given)) {
            return CompletableFuture.completedFuture(true);
        }
        Boolean answer = matchesByOptions.getIfPresent(given.options());
        return answer == null ? ask(given) : CompletableFuture.completedFuture(answer);
    }

    /** A wrapper that makes new options for each call does not reveal what it wraps. */
    private boolean differs(Database given) {
        Object mine = own.options();
        Object theirs = given.options();
        return mine != theirs && mine == own.options() && theirs == given.options();
    }

    private CompletableFuture<Boolean> ask(Database given) {
        return description(own).thenCombine(description(given), (mine, theirs) -> {
            if (mine.isEmpty() || theirs.isEmpty()) {
                return true;
            }
            boolean isSame = mine.equals(theirs);
            matchesByOptions.put(given.options(), isSame);
            return isSame;
        });
    }

    /** The client answers, even while the database cannot be reached. */
    private CompletableFuture<Optional<String>> description(Database database) {
        Transaction tx;
        try {
            tx = open.apply(database);
        } catch (IllegalStateException e) { // it is closed
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return AsyncUtil.applySafely(tx::get, CONNECTION_STRING)
                .handle((connection, error) -> Optional.ofNullable(connection)
                        .map(bytes -> new String(bytes, StandardCharsets.US_ASCII))
                        .map(text -> text.substring(0, Math.max(0, text.indexOf(':')))))
                .whenComplete((description, error) -> tx.close());
    }
}
