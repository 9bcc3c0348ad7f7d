package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.server.internal.http.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The code of each operation of the document. */
public final class Operations {
    private final Map<String, Handler> handlers = new HashMap<>();

    /** Reads in a transaction. */
    @FunctionalInterface
    public interface Read {
        CompletableFuture<Reply> run(Call call, ReadTransactionContext context);
    }

    /** Writes in one transaction. It may be run again, so it does nothing but call the library. */
    @FunctionalInterface
    public interface Write {
        CompletableFuture<Reply> run(Call call, TransactionContext context);
    }

    /** Waits, or works in many transactions; to repeat it does no harm. */
    @FunctionalInterface
    public interface Act {
        CompletableFuture<Reply> run(Call call);
    }

    /** What is bound to an operation. */
    public sealed interface Handler {}

    public record Reading(Read read) implements Handler {}

    public record Writing(Write write) implements Handler {}

    public record Acting(Act act) implements Handler {}

    public void read(String operationId, Read read) {
        bind(operationId, new Reading(read));
    }

    public void write(String operationId, Write write) {
        bind(operationId, new Writing(write));
    }

    public void act(String operationId, Act act) {
        bind(operationId, new Acting(act));
    }

    private void bind(String operationId, Handler handler) {
        if (handlers.put(operationId, handler) != null) {
            throw new IllegalStateException(operationId + " is bound twice.");
        }
    }

    public Optional<Handler> find(String operationId) {
        return Optional.ofNullable(handlers.get(operationId));
    }

    /** {@return the ids of all operations that are bound} */
    public Set<String> ids() {
        return Set.copyOf(handlers.keySet());
    }
}
