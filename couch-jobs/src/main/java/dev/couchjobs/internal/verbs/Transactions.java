package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.dependencies.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Runs verbs: in the caller's transaction as they come, in transactions of our own within a time limit, and once. */
public final class Transactions {
    private final Environment environment;
    private final Settlement settlement;
    private final Duration timeout;

    public Transactions(Environment environment, Keyspace keyspace, Duration timeout) {
        this.environment = environment;
        this.settlement = new Settlement(keyspace, environment.clock());
        this.timeout = timeout;
    }

    /** A verb, which hands the token to what it saves. */
    @FunctionalInterface
    interface Verb<T> {
        CompletableFuture<T> apply(Transaction tx, OptionalLong token);
    }

    /** Runs something that may happen twice without harm. */
    public <T> CompletableFuture<T> run(TransactionContext context, Function<Transaction, CompletableFuture<T>> body) {
        if (context instanceof Transaction tx) {
            return settled(tx, body.apply(tx));
        }
        return context.runAsync(tx -> {
            limit(tx);
            return settled(tx, body.apply(tx));
        });
    }

    /** Runs something that only reads. */
    public <T> CompletableFuture<T> read(
            ReadTransactionContext context, Function<ReadTransaction, CompletableFuture<T>> body) {
        if (context instanceof NotBefore bound) {
            return read(bound.context(), tx -> bound.check(tx, body));
        }
        if (context instanceof ReadTransaction tx) {
            return body.apply(tx);
        }
        return context.readAsync(tx -> {
            limit(tx);
            return body.apply(tx);
        });
    }

    /**
     * Runs a verb so that it acts once, also when the result of a commit is unknown: before every further try it looks
     * in the feed, from where the first began, for the entry that an earlier try may have left.
     *
     * <p>In a transaction of the caller's there is nothing to look for: whoever retries it calls the verb anew.
     */
    <T> CompletableFuture<T> runOnce(
            TransactionContext context,
            TypeKeys keys,
            Function<Transaction, CompletableFuture<T>> ifDone,
            Verb<T> verb) {
        return runOnce(context, List.of(keys), ifDone, verb);
    }

    /**
     * The same for a verb that may change jobs of several types.
     *
     * @param types all those in whose feeds the verb may leave its entry
     */
    <T> CompletableFuture<T> runOnce(
            TransactionContext context,
            List<TypeKeys> types,
            Function<Transaction, CompletableFuture<T>> ifDone,
            Verb<T> verb) {
        if (context instanceof Transaction tx) {
            return settled(tx, verb.apply(tx, OptionalLong.empty()));
        }
        long token = environment.random().nextLong();
        List<TokenSearch> earlierTries =
                types.stream().map(type -> new TokenSearch(type, token)).toList();
        return context.runAsync(tx -> {
            limit(tx);
            return hasCommitted(tx, earlierTries)
                    .thenCompose(done -> done ? ifDone.apply(tx) : settled(tx, verb.apply(tx, OptionalLong.of(token))));
        });
    }

    private static CompletableFuture<Boolean> hasCommitted(Transaction tx, List<TokenSearch> earlierTries) {
        List<CompletableFuture<Boolean>> searches =
                earlierTries.stream().map(tries -> tries.hasCommitted(tx)).toList();
        return CompletableFuture.allOf(searches.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> searches.stream().anyMatch(CompletableFuture::join));
    }

    /** Whatever ends a job also tells those who wait for it. */
    private <T> CompletableFuture<T> settled(Transaction tx, CompletableFuture<T> done) {
        return done.thenCompose(result -> settlement.settle(tx).thenApply(told -> result));
    }

    private void limit(ReadTransaction tx) {
        tx.options().setTimeout(timeout.toMillis());
    }
}
