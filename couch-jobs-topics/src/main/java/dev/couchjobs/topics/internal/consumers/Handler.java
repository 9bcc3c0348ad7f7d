package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.Database;
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
import java.util.function.BiConsumer;
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
        return (database, source, decode) -> {
            HandlerTries tries = new HandlerTries();
            return TopicTransactions.run(
                            database,
                            "consume",
                            tx -> source.take(tx).thenCompose(next -> {
                                if (next.messages().isEmpty()) {
                                    return CompletableFuture.completedFuture(next);
                                }
                                source.readAhead(database);
                                tries.begin(next);
                                return call(
                                        executor, () -> handler.handle(tx, decode.apply(next)), next, tries::failure);
                            }))
                    .exceptionallyCompose(error -> CompletableFuture.failedFuture(tries.afterAll(error)));
        };
    }

    /** A handler that runs before the offset is committed: after a crash it sees the messages again. */
    static <T> Handler<T> beforeCommit(MessageHandler<T> handler, Executor executor) {
        return (database, source, decode) -> source.read(database).thenCompose(next -> {
            if (next.messages().isEmpty()) {
                return next.correctsNumber() ? commit(database, source, next) : CompletableFuture.completedFuture(next);
            }
            source.readAhead(database);
            Callable<CompletionStage<?>> handling = () -> {
                handler.handle(decode.apply(next));
                return CompletableFuture.completedFuture(next);
            };
            return call(executor, handling, next, cause -> new HandlerFailure(next, cause))
                    .thenCompose(handled -> commit(database, source, handled));
        });
    }

    private static CompletableFuture<Next> commit(Database database, Source source, Next handled) {
        return source.commit(database, handled).thenApply(done -> handled);
    }

    /** @param failure makes of what the user's code has thrown what the result fails with */
    private static CompletableFuture<Next> call(
            Executor executor,
            Callable<? extends CompletionStage<?>> handler,
            Next next,
            Function<Throwable, Throwable> failure) {
        CompletableFuture<Next> result = new CompletableFuture<>();
        BiConsumer<@Nullable Object, @Nullable Throwable> end = (done, error) -> {
            if (error == null) {
                result.complete(next);
            } else {
                result.completeExceptionally(failure.apply(RootCauses.of(error)));
            }
        };
        try {
            executor.execute(() -> {
                try {
                    var unused = handler.call().whenComplete(end);
                } catch (Throwable e) { // whatever the user's code throws is a failure of these messages
                    end.accept(null, e);
                }
            });
        } catch (Throwable e) { // the executor is the user's, too; the messages are handled after a pause
            result.completeExceptionally(new IllegalStateException(
                    "The executor of a consumer refuses its messages", HandlerFailure.printable(e)));
        }
        return result;
    }
}
