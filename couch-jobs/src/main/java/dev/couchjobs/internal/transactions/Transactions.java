package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.JobsListener;
import dev.couchjobs.OtherDatabaseException;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.features.Features;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.Observers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs verbs in transactions, in one of three ways:
 *
 * <ul>
 *   <li>joined: in the caller's transaction, in the order of the calls;
 *   <li>in a transaction of its own, with retries and a timeout;
 *   <li>idempotent ({@link #runOnce}): as before, and with one effect although the result of a commit may be unknown.
 * </ul>
 *
 * <p>A verb passes the context that its caller gave: a database is refused where the caller's thread has a transaction.
 * Transactions of the library's own, which no caller can join, take a {@code Database} and are not refused.
 *
 * <p>Verbs fail if this code may not use the layout of the stored rows. This class opens all transactions of the
 * library, and labels them for the operators of a cluster.
 */
public final class Transactions {
    private final Environment environment;
    private final Features features;
    private final LayoutRow layout;
    private final Duration timeout;
    private final TransactionLabel label;
    private final BooleanSupplier isOpen;
    private final Function<Database, CompletableFuture<Boolean>> isOwn;
    private final Observers<JobsListener> listeners;

    public Transactions(Environment environment, Keyspace keyspace, Duration timeout, TransactionLabel label) {
        this(environment, environment.clock(), keyspace, timeout, label);
    }

    /** @param clock computes the times that are stored for later */
    public Transactions(
            Environment environment, InstantSource clock, Keyspace keyspace, Duration timeout, TransactionLabel label) {
        this(
                environment,
                new Features(environment, clock, keyspace),
                new LayoutRow(keyspace),
                timeout,
                label,
                () -> true,
                database -> CompletableFuture.completedFuture(true),
                new Observers<>(List.of(), environment));
    }

    private Transactions(
            Environment environment,
            Features features,
            LayoutRow layout,
            Duration timeout,
            TransactionLabel label,
            BooleanSupplier isOpen,
            Function<Database, CompletableFuture<Boolean>> isOwn,
            Observers<JobsListener> listeners) {
        this.environment = environment;
        this.features = features;
        this.layout = layout;
        this.timeout = timeout;
        this.label = label;
        this.isOpen = isOpen;
        this.isOwn = isOwn;
        this.listeners = listeners;
    }

    /** {@return a copy that reports its transactions} */
    public Transactions observedBy(Observers<JobsListener> newListeners) {
        return new Transactions(environment, features, layout, timeout, label, isOpen, isOwn, newListeners);
    }

    /** {@return a copy that refuses every other database} */
    public Transactions restrictedTo(Database own) {
        return new Transactions(
                environment,
                features,
                layout,
                timeout,
                label,
                isOpen,
                new DatabaseMatcher(own, Database::createTransaction)::matches,
                listeners);
    }

    /** {@return a copy whose transactions fail once the instance is closed} */
    public Transactions whileOpen(BooleanSupplier isOpen) {
        return new Transactions(environment, features, layout, timeout, label, isOpen, isOwn, listeners);
    }

    /** Makes a call, unless the instance is closed. */
    public <T> CompletableFuture<T> ifOpen(Supplier<CompletableFuture<T>> call) {
        return isOpen.getAsBoolean() ? call.get() : closed();
    }

    /** {@return a copy that labels its transactions with a purpose} */
    public Transactions named(String purpose, String typeName) {
        return new Transactions(
                environment, features, layout, timeout, label.named(purpose, typeName), isOpen, isOwn, listeners);
    }

    /** {@return a copy without the tag, whose transactions are not throttled with the tag} */
    public Transactions untagged() {
        return new Transactions(environment, features, layout, timeout, label.untagged(), isOpen, isOwn, listeners);
    }

    /** {@return a copy that also uses rows that are out of service} */
    public Transactions outOfService() {
        return new Transactions(environment, features, layout.unchecked(), timeout, label, isOpen, isOwn, listeners);
    }

    /** A verb, which reads and writes jobs through a {@link JobStore} of its own. */
    @FunctionalInterface
    public interface Verb<T extends @Nullable Object> {
        CompletableFuture<T> apply(JobStore jobs);

        /** {@return the result of an earlier try that committed, if the verb can read it again} */
        default Optional<CompletableFuture<T>> reread(Transaction tx) {
            return Optional.empty();
        }

        /** Records that a try in a transaction of a {@code Database} has ended with an unknown result. */
        default void mayHaveCommitted() {}

        /** {@return this verb with a reader for the result of an earlier try that committed} */
        default Verb<T> rereadBy(Function<Transaction, CompletableFuture<T>> reader) {
            return new Verb<>() {
                @Override
                public CompletableFuture<T> apply(JobStore jobs) {
                    return Verb.this.apply(jobs);
                }

                @Override
                public Optional<CompletableFuture<T>> reread(Transaction tx) {
                    return Optional.of(reader.apply(tx));
                }

                @Override
                public void mayHaveCommitted() {
                    Verb.this.mayHaveCommitted();
                }
            };
        }
    }

    /** Runs the body of a verb that may take effect twice without harm, in the context that the caller gave. */
    public <T> CompletableFuture<T> run(TransactionContext context, Function<Transaction, CompletableFuture<T>> body) {
        ThreadTransaction.requireJoined(context);
        return runIn(context, body);
    }

    /** Runs a transaction of the library's own that may take effect twice without harm. */
    public <T> CompletableFuture<T> run(Database database, Function<Transaction, CompletableFuture<T>> body) {
        return runIn(database, body);
    }

    private <T> CompletableFuture<T> runIn(
            TransactionContext context, Function<Transaction, CompletableFuture<T>> body) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        if (context instanceof Transaction tx) {
            return join(tx, body);
        }
        TryReport report = report();
        return requireOwn(context)
                .thenCompose(own -> context instanceof Database database
                        ? runLoop(report, tries -> runOn(database, report, tries), body)
                        : runLoop(report, joining(context), body));
    }

    /** Runs bodies in a transaction that the caller's context has opened. */
    private static <T extends @Nullable Object> TryScopes.RetryLoop<CompletableFuture<T>> joining(
            TransactionContext context) {
        return body -> context.runAsync(tx -> TransactionScope.begun(tx, body.apply(tx)));
    }

    /**
     * Settles what a part of a transaction of the library's own changes, so that its next part finds it.
     *
     * @param part completes when it has written its changes
     */
    public <T> CompletableFuture<T> settle(Transaction tx, CompletableFuture<T> part) {
        return features.settle(tx, part, this::runLater);
    }

    /** Runs what follows the commit of another transaction, in a transaction of its own. */
    public CompletableFuture<Boolean> runLater(
            Database database, Function<Transaction, CompletableFuture<Boolean>> body) {
        return named("close batch", "").run(database, body);
    }

    /** Runs a body that searches for its own commit after a try with an unknown result. */
    public <T> CompletableFuture<T> run(
            Database database, TokenSearch earlierTries, Function<Transaction, CompletableFuture<T>> body) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        TryReport report = report();
        return runLoop(report, tries -> runTracked(database, earlierTries::mayHaveCommitted, report, tries), body);
    }

    /** Runs a body that only reads. */
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
        TryReport report = report();
        return report.end(requireOwn(context)
                .thenCompose(own -> lastError.explain(context.readAsync(tx -> {
                    report.nextTry();
                    configure(tx);
                    return lastError.record(read(tx, body));
                }))));
    }

    private <T> CompletableFuture<T> read(ReadTransaction tx, Function<ReadTransaction, CompletableFuture<T>> body) {
        return layout.reading(tx).require(body.apply(tx));
    }

    /** Runs a verb in the caller's transaction, immediately, so that the caller's calls stay in order. */
    private <T extends @Nullable Object> CompletableFuture<T> join(
            Transaction tx, Function<Transaction, CompletableFuture<T>> body) {
        CompletableFuture<Boolean> own = isOwn.apply(tx.getDatabase());
        Runnable refuse = () -> TransactionScope.cancel(tx, new OtherDatabaseException());
        if (isRefused(own)) {
            refuse.run();
            return otherDatabase();
        }
        LayoutRow.Check check = prepareTry(tx, 0);
        return TransactionScope.begun(
                tx, requireOwn(own, refuse, check.require(features.settle(tx, body.apply(tx), this::runLater))));
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

    /** Runs a transaction of a handler, without a timeout and without an identifier; the handler may set both. */
    public <T extends @Nullable Object> T runHandlerTransaction(
            Database database, HandlerTries tries, Function<Transaction, T> handler) {
        return TryScopes.run(database::run, countingTries(tries, handler));
    }

    /** Runs a transaction of a handler that searches for its own commit after a try with an unknown result. */
    public <T extends @Nullable Object> T runHandlerTransaction(
            Database database, HandlerTries tries, TokenSearch earlierTries, Function<Transaction, T> handler) {
        return TryScopes.run(
                body -> TrackedRetryLoop.run(database.createTransaction(), earlierTries::mayHaveCommitted, body),
                countingTries(tries, handler));
    }

    private <T extends @Nullable Object> Function<Transaction, T> countingTries(
            HandlerTries tries, Function<Transaction, T> handler) {
        return tx -> {
            tries.begin();
            label.tag(tx);
            try {
                T value = handler.apply(tx);
                var unused = TransactionScope.settled(tx).join(); // the handler may have forgotten to wait for a verb
                return value;
            } finally {
                tries.end();
            }
        };
    }

    /** Runs a transaction of a handler without blocking a thread. */
    public <T extends @Nullable Object> CompletableFuture<T> runHandlerTransactionAsync(
            Database database, HandlerTries tries, Function<Transaction, CompletableFuture<T>> handler) {
        return TryScopes.runAsync(database::runAsync, countingTriesAsync(tries, handler));
    }

    /**
     * Runs a transaction of a handler that searches for its own commit after a try with an unknown result, without
     * blocking a thread.
     */
    public <T extends @Nullable Object> CompletableFuture<T> runHandlerTransactionAsync(
            Database database,
            HandlerTries tries,
            TokenSearch earlierTries,
            Function<Transaction, CompletableFuture<T>> handler) {
        return runTracked(database, earlierTries::mayHaveCommitted, TryReport.NONE, countingTriesAsync(tries, handler));
    }

    private <T extends @Nullable Object> Function<Transaction, CompletableFuture<T>> countingTriesAsync(
            HandlerTries tries, Function<Transaction, CompletableFuture<T>> handler) {
        return tx -> {
            tries.begin();
            label.tag(tx);
            return handler.apply(tx)
                    .thenCompose(value -> TransactionScope.settled(tx).thenApply(done -> value))
                    .whenComplete((value, error) -> tries.end());
        };
    }

    /**
     * Runs a verb so that it takes effect once, even if the result of a commit is unknown. After an unknown result each
     * further try searches the feed for the entry of an earlier try, from the position where the last search ended. It
     * does not search after a conflict: the feed is longest where conflicts are most frequent.
     *
     * <p>A verb in the caller's transaction does not search: the caller's retry calls the verb again.
     *
     * @param types the types to whose feeds the verb may append its entry
     */
    public <T extends @Nullable Object> CompletableFuture<T> runOnce(
            TransactionContext context, List<TypeKeys> types, Verb<T> verb) {
        ThreadTransaction.requireJoined(context);
        return runOnceIn(context, types, Integer.MAX_VALUE, verb);
    }

    /** Runs a transaction of the library's own as {@link #runOnce(TransactionContext, List, Verb)} runs a verb. */
    public <T extends @Nullable Object> CompletableFuture<T> runOnce(
            Database database, List<TypeKeys> types, Verb<T> verb) {
        return runOnceIn(database, types, Integer.MAX_VALUE, verb);
    }

    /**
     * Runs a transaction of the library's own as {@link #runOnce(TransactionContext, List, Verb)} runs a verb, and
     * fails after some conflicts.
     *
     * @param conflictsMax the conflict of this number, from 1, is the error
     */
    public <T extends @Nullable Object> CompletableFuture<T> runOnce(
            Database database, List<TypeKeys> types, int conflictsMax, Verb<T> verb) {
        return runOnceIn(database, types, conflictsMax, verb);
    }

    private <T extends @Nullable Object> CompletableFuture<T> runOnceIn(
            TransactionContext context, List<TypeKeys> types, int conflictsMax, Verb<T> verb) {
        if (!isOpen.getAsBoolean()) {
            return closed();
        }
        if (context instanceof Transaction caller) {
            return join(caller, tx -> verb.apply(JobStore.of(tx)));
        }
        OnceTries<T> tries = new OnceTries<>(types, environment.random().nextLong());
        Runnable ifUnknown = () -> {
            tries.mayHaveCommitted();
            verb.mayHaveCommitted();
        };
        LastError lastError = new LastError();
        TryReport report = report();
        Function<Transaction, CompletableFuture<T>> body = tx -> {
            report.nextTry();
            configure(tx);
            LayoutRow.Check check = prepareTry(tx, tries.nextNumber());
            return lastError.record(check.require(tries.hasCommitted(tx)
                    .thenCompose(done -> done
                            ? verb.reread(tx).orElseGet(tries::result)
                            : features.settle(tx, tries.recordResult(verb.apply(tries.jobs(tx))), this::runLater))));
        };
        return report.end(requireOwn(context)
                .thenCompose(own -> lastError.explain(
                        context instanceof Database database
                                ? runTracked(database, ifUnknown, report, conflictsMax, body)
                                : Transactions.<T>joining(context).run(tx -> {
                                    tries.mayHaveCommitted(); // this loop does not say why a commit failed
                                    return body.apply(tx);
                                }))));
    }

    private static <T extends @Nullable Object> CompletableFuture<T> closed() {
        return CompletableFuture.failedFuture(new CouchJobsClosedException());
    }

    private static <T extends @Nullable Object> CompletableFuture<T> runTracked(
            Database database, Runnable ifUnknown, TryReport report, Function<Transaction, CompletableFuture<T>> body) {
        return runTracked(database, ifUnknown, report, Integer.MAX_VALUE, body);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> runTracked(
            Database database,
            Runnable ifUnknown,
            TryReport report,
            int conflictsMax,
            Function<Transaction, CompletableFuture<T>> body) {
        return TryScopes.runAsync(
                tries -> new TrackedRetryLoop<>(database.createTransaction(), ifUnknown, report, conflictsMax, tries)
                        .run(),
                body);
    }

    /** The loop of the database does not say why a try has failed. */
    private static <T> CompletableFuture<T> runOn(
            Database database, TryReport report, Function<Transaction, CompletableFuture<T>> body) {
        return report.wantsFailedTries()
                ? runTracked(database, () -> {}, report, body)
                : TryScopes.runAsync(database::runAsync, body);
    }

    private <T> CompletableFuture<T> runLoop(
            TryReport report,
            TryScopes.RetryLoop<CompletableFuture<T>> loop,
            Function<Transaction, CompletableFuture<T>> body) {
        LastError lastError = new LastError();
        AtomicInteger tries = new AtomicInteger();
        return report.end(lastError.explain(loop.run(tx -> {
            report.nextTry();
            configure(tx);
            LayoutRow.Check check = prepareTry(tx, tries.getAndIncrement());
            return lastError.record(check.require(features.settle(tx, body.apply(tx), this::runLater)));
        })));
    }

    private TryReport report() {
        return TryReport.begin(listeners, label, environment.clock());
    }

    private LayoutRow.Check prepareTry(Transaction tx, int tryNumber) {
        Quarantine.allow(tx);
        features.prepare(tx, tryNumber);
        return layout.writing(tx);
    }

    private void configure(ReadTransaction tx) {
        tx.options().setTimeout(timeout.toMillis());
        label.put(tx);
    }
}
