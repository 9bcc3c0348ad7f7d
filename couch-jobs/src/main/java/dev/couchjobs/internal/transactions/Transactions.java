package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.OtherDatabaseException;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.Quarantine;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.dependencies.DependencyPropagator;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs verbs: in the caller's transaction as they come, in transactions of our own within a time limit, and once; and
 * only on rows that this code may use. All transactions that the library opens are opened here, and say to the
 * operators of a cluster what they are.
 */
public final class Transactions {
    private final Environment environment;
    private final DependencyPropagator dependencyPropagator;
    private final LayoutRow layout;
    private final Duration timeout;
    private final TransactionLabel label;
    private final BooleanSupplier isOpen;
    private final Function<Database, CompletableFuture<Boolean>> isOwn;

    public Transactions(Environment environment, Keyspace keyspace, Duration timeout, TransactionLabel label) {
        this(
                environment,
                new DependencyPropagator(keyspace, environment.clock()),
                new LayoutRow(keyspace),
                timeout,
                label,
                () -> true,
                database -> CompletableFuture.completedFuture(true));
    }

    private Transactions(
            Environment environment,
            DependencyPropagator dependencyPropagator,
            LayoutRow layout,
            Duration timeout,
            TransactionLabel label,
            BooleanSupplier isOpen,
            Function<Database, CompletableFuture<Boolean>> isOwn) {
        this.environment = environment;
        this.dependencyPropagator = dependencyPropagator;
        this.layout = layout;
        this.timeout = timeout;
        this.label = label;
        this.isOpen = isOpen;
        this.isOwn = isOwn;
    }

    /** {@return the same for the verbs of an instance, which refuse any database but this} */
    public Transactions of(Database own) {
        return new Transactions(
                environment,
                dependencyPropagator,
                layout,
                timeout,
                label,
                isOpen,
                new DatabaseMatcher(own, Database::createTransaction)::is);
    }

    /** {@return the same for the verbs of an instance, which fail once it is closed} */
    public Transactions whileOpen(BooleanSupplier isOpen) {
        return new Transactions(environment, dependencyPropagator, layout, timeout, label, isOpen, isOwn);
    }

    /** {@return the same for one purpose, which labels its transactions} */
    public Transactions named(String purpose, String typeName) {
        return new Transactions(
                environment, dependencyPropagator, layout, timeout, label.named(purpose, typeName), isOpen, isOwn);
    }

    /** {@return the same, without the tag, so that throttling the tag does not slow these down} */
    public Transactions untagged() {
        return new Transactions(environment, dependencyPropagator, layout, timeout, label.untagged(), isOpen, isOwn);
    }

    /** {@return the same, for rows that are out of service as well} */
    public Transactions outOfService() {
        return new Transactions(environment, dependencyPropagator, layout.unchecked(), timeout, label, isOpen, isOwn);
    }

    /** A verb, which reads and writes jobs in a unit of work of its own. */
    @FunctionalInterface
    public interface Verb<T extends @Nullable Object> {
        CompletableFuture<T> apply(JobTransaction verb);

        /** {@return what an earlier try that has committed came to, if a later one has to read it again} */
        default Optional<CompletableFuture<T>> reread(Transaction tx) {
            return Optional.empty();
        }

        /** {@return the same verb, whose result a later try reads again} */
        default Verb<T> rereadBy(Function<Transaction, CompletableFuture<T>> reader) {
            return new Verb<>() {
                @Override
                public CompletableFuture<T> apply(JobTransaction verb) {
                    return Verb.this.apply(verb);
                }

                @Override
                public Optional<CompletableFuture<T>> reread(Transaction tx) {
                    return Optional.of(reader.apply(tx));
                }
            };
        }
    }

    /** Runs something that may happen twice without harm. */
    public <T> CompletableFuture<T> run(TransactionContext context, Function<Transaction, CompletableFuture<T>> body) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        if (context instanceof Transaction tx) {
            return join(tx, body);
        }
        return requireOwn(context).thenCompose(own -> open(context::runAsync, body));
    }

    /** Runs something that looks for its own commit after a try whose result is unknown. */
    public <T> CompletableFuture<T> run(
            Database database, TokenSearch earlierTries, Function<Transaction, CompletableFuture<T>> body) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        return open(
                tries -> new TrackedRetryLoop<>(database.createTransaction(), earlierTries::mayHaveCommitted, tries)
                        .run(),
                body);
    }

    /** Runs something that only reads. */
    public <T> CompletableFuture<T> read(
            ReadTransactionContext context, Function<ReadTransaction, CompletableFuture<T>> body) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        if (context instanceof MinimumVersionContext bound) {
            return read(bound.context(), tx -> bound.check(tx, body));
        }
        if (context instanceof Transaction tx) {
            CompletableFuture<Boolean> own = isOwn.apply(tx.getDatabase());
            return isRefused(own) ? otherDatabase() : requireOwn(own, () -> {}, read(tx, body));
        }
        if (context instanceof ReadTransaction tx) {
            return read(tx, body);
        }
        LastError lastError = new LastError();
        return requireOwn(context)
                .thenCompose(own -> lastError.explain(context.readAsync(tx -> {
                    limit(tx);
                    return lastError.note(read(tx, body));
                })));
    }

    private <T> CompletableFuture<T> read(ReadTransaction tx, Function<ReadTransaction, CompletableFuture<T>> body) {
        return layout.reading(tx).require(body.apply(tx));
    }

    /** Runs a verb in a transaction of the caller's, at once so that the caller's calls stay in order. */
    private <T extends @Nullable Object> CompletableFuture<T> join(
            Transaction tx, Function<Transaction, CompletableFuture<T>> body) {
        CompletableFuture<Boolean> own = isOwn.apply(tx.getDatabase());
        if (isRefused(own)) {
            tx.cancel();
            return otherDatabase();
        }
        LayoutRow.Check check = begin(tx, 0);
        return requireOwn(own, tx::cancel, check.require(settled(tx, body.apply(tx))));
    }

    private static <T extends @Nullable Object> CompletableFuture<T> requireOwn(
            CompletableFuture<Boolean> own, Runnable refused, CompletableFuture<T> done) {
        return own.thenCompose(isOwn -> {
            if (isOwn) {
                return done;
            }
            refused.run();
            return otherDatabase();
        });
    }

    private static <T extends @Nullable Object> CompletableFuture<T> otherDatabase() {
        return CompletableFuture.failedFuture(new OtherDatabaseException());
    }

    private CompletableFuture<Boolean> requireOwn(ReadTransactionContext context) {
        return context instanceof Database database
                ? isOwn.apply(database).thenApply(isOwn -> {
                    if (!isOwn) {
                        throw new OtherDatabaseException();
                    }
                    return true;
                })
                : CompletableFuture.completedFuture(true);
    }

    private static boolean isRefused(CompletableFuture<Boolean> own) {
        return own.isDone() && !own.join();
    }

    /** Runs what a handler does in a transaction, without a time limit; to name it is left to the handler. */
    public <T extends @Nullable Object> T runFor(
            Database database, HandlerTries tries, Function<Transaction, T> handler) {
        return database.run(noting(tries, handler));
    }

    /** The same for what looks for its own commit after a try whose result is unknown. */
    public <T extends @Nullable Object> T runFor(
            Database database, HandlerTries tries, TokenSearch earlierTries, Function<Transaction, T> handler) {
        return TrackedRetryLoop.run(
                database.createTransaction(), earlierTries::mayHaveCommitted, noting(tries, handler));
    }

    private <T extends @Nullable Object> Function<Transaction, T> noting(
            HandlerTries tries, Function<Transaction, T> handler) {
        return tx -> {
            tries.begin();
            label.tag(tx);
            try {
                return handler.apply(tx);
            } finally {
                tries.end();
            }
        };
    }

    /** The same, without a thread that waits. */
    public <T extends @Nullable Object> CompletableFuture<T> runForAsync(
            Database database, HandlerTries tries, Function<Transaction, CompletableFuture<T>> handler) {
        return database.runAsync(notingAsync(tries, handler));
    }

    /** The same for what looks for its own commit after a try whose result is unknown. */
    public <T extends @Nullable Object> CompletableFuture<T> runForAsync(
            Database database,
            HandlerTries tries,
            TokenSearch earlierTries,
            Function<Transaction, CompletableFuture<T>> handler) {
        return new TrackedRetryLoop<>(
                        database.createTransaction(), earlierTries::mayHaveCommitted, notingAsync(tries, handler))
                .run();
    }

    private <T extends @Nullable Object> Function<Transaction, CompletableFuture<T>> notingAsync(
            HandlerTries tries, Function<Transaction, CompletableFuture<T>> handler) {
        return tx -> {
            tries.begin();
            label.tag(tx);
            return handler.apply(tx).whenComplete((value, error) -> tries.end());
        };
    }

    /**
     * Runs a verb so that it acts once, also when the result of a commit is unknown: before every try after that it
     * looks in the feed, behind all that it has looked at before, for the entry that an earlier try may have left.
     * After a conflict it does not: the feed is longest where conflicts are most frequent.
     *
     * <p>In a transaction of the caller's there is nothing to look for: the caller's retry calls the verb again.
     *
     * @param types all those in whose feeds the verb may leave its entry
     */
    public <T extends @Nullable Object> CompletableFuture<T> runOnce(
            TransactionContext context, List<TypeKeys> types, Verb<T> verb) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        if (context instanceof Transaction caller) {
            return join(caller, tx -> verb.apply(JobTransaction.of(tx)));
        }
        OnceTries<T> tries = new OnceTries<>(types, environment.random().nextLong());
        LastError lastError = new LastError();
        Function<Transaction, CompletableFuture<T>> body = tx -> {
            limit(tx);
            LayoutRow.Check check = begin(tx, tries.next());
            return lastError.note(check.require(tries.hasCommitted(tx)
                    .thenCompose(done -> done
                            ? verb.reread(tx).orElseGet(tries::result)
                            : settled(tx, tries.note(verb.apply(tries.unitOfWork(tx)))))));
        };
        return requireOwn(context)
                .thenCompose(own -> lastError.explain(
                        context instanceof Database database
                                ? new TrackedRetryLoop<>(database.createTransaction(), tries::mayHaveCommitted, body)
                                        .run()
                                : context.runAsync(tx -> {
                                    tries.mayHaveCommitted(); // such a loop does not say what its tries failed of
                                    return body.apply(tx);
                                })));
    }

    private static <T extends @Nullable Object> CompletableFuture<T> closed() {
        return CompletableFuture.failedFuture(new CouchJobsClosedException());
    }

    /** Makes the tries of a transaction. */
    private interface Loop<T> {
        CompletableFuture<T> run(Function<Transaction, CompletableFuture<T>> body);
    }

    private <T> CompletableFuture<T> open(Loop<T> loop, Function<Transaction, CompletableFuture<T>> body) {
        LastError lastError = new LastError();
        AtomicInteger tries = new AtomicInteger();
        return lastError.explain(loop.run(tx -> {
            limit(tx);
            LayoutRow.Check check = begin(tx, tries.getAndIncrement());
            return lastError.note(check.require(settled(tx, body.apply(tx))));
        }));
    }

    private LayoutRow.Check begin(Transaction tx, int tryNumber) {
        Quarantine.allow(tx);
        ReleaseOutbox.open(tx, tryNumber);
        return layout.writing(tx);
    }

    /**
     * A verb that ends a job also releases or fails the jobs that wait for it, and one that enqueues a job brings its
     * type into use.
     */
    private <T extends @Nullable Object> CompletableFuture<T> settled(Transaction tx, CompletableFuture<T> done) {
        return done.thenCompose(result -> dependencyPropagator
                .settle(tx)
                .thenCompose(told -> TypeInUse.settle(tx))
                .thenApply(used -> result));
    }

    private void limit(ReadTransaction tx) {
        tx.options().setTimeout(timeout.toMillis());
        label.put(tx);
    }
}
