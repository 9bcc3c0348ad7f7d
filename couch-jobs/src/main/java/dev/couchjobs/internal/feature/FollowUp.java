package dev.couchjobs.internal.feature;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Runs a transaction of the library's own after one that was settled has committed. */
@FunctionalInterface
public interface FollowUp {
    CompletableFuture<Boolean> run(Database database, Function<Transaction, CompletableFuture<Boolean>> body);
}
