package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import dev.couchjobs.topics.AsyncTransactionalHandler;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.MessageHandler;
import dev.couchjobs.topics.TransactionalHandler;
import dev.couchjobs.topics.internal.groups.Source;
import dev.couchjobs.topics.internal.groups.Source.Next;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a consumer handles messages: before the group moves behind them, or in the transaction that moves it. */
public interface Handler<T> {

    /** {@return the messages that were handled} Fails with a {@link HandlerFailure} if the user's code does. */
    CompletableFuture<Next> run(Database database, Source source, Function<Next, List<Message<T>>> decode);

    /** A handler that runs in the transaction that commits the offset. */
    static <T> Handler<T> inTransaction(TransactionalHandler<T> handler, Executor executor) {
        return inTransactionAsync(
                (tx, messages) -> {
                    handler.handle(tx, messages);
                    return CompletableFuture.completedFuture(tx);
                },
                executor);
    }

    /** The same for a handler that does not block. */
    static <T> Handler<T> inTransactionAsync(AsyncTransactionalHandler<T> handler, Executor executor) {
        return (database, source, decode) -> TopicTransactions.run(
                database,
                "consume",
                tx -> source.take(tx).thenCompose(next -> {
                    if (next.messages().isEmpty()) {
                        return CompletableFuture.completedFuture(next);
                    }
                    source.readAhead(database);
                    return call(executor, next, () -> handler.handle(tx, decode.apply(next)));
                }));
    }

    /** A handler that runs before the offset is committed: after a crash it sees the messages again. */
    static <T> Handler<T> beforeCommit(MessageHandler<T> handler, Executor executor) {
        return (database, source, decode) -> source.read(database).thenCompose(next -> {
            if (next.messages().isEmpty()) {
                return next.correctsNumber() ? commit(database, source, next) : CompletableFuture.completedFuture(next);
            }
            source.readAhead(database);
            return call(executor, next, () -> {
                        handler.handle(decode.apply(next));
                        return CompletableFuture.completedFuture(next);
                    })
                    .thenCompose(handled -> commit(database, source, handled));
        });
    }

    private static CompletableFuture<Next> commit(Database database, Source source, Next handled) {
        return source.commit(database, handled).thenApply(done -> handled);
    }

    private static CompletableFuture<Next> call(
            Executor executor, Next next, Callable<? extends CompletionStage<?>> handler) {
        CompletableFuture<Next> result = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    var unused = handler.call().whenComplete((done, error) -> end(result, next, error));
                } catch (Throwable e) { // whatever the user's code throws is a failure of these messages
                    end(result, next, e);
                }
            });
        } catch (Throwable e) { // the executor is the user's, too; the messages are handled after a pause
            result.completeExceptionally(new IllegalStateException(
                    "The executor of a consumer refuses its messages", HandlerFailure.printable(e)));
        }
        return result;
    }

    private static void end(CompletableFuture<Next> result, Next next, @Nullable Throwable error) {
        Throwable cause = error == null ? null : RootCauses.of(error);
        if (cause == null) {
            result.complete(next);
        } else {
            // The database tries the transaction again, or says why it cannot.
            result.completeExceptionally(cause instanceof FDBException ? cause : new HandlerFailure(next, cause));
        }
    }
}
