package dev.couchjobs.bridge.internal.nodes;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A node and where it runs.
 *
 * @param name the node's name
 * @param process the process and its machine
 * @param version the version of the bridge
 * @param servers the names of the servers that its settings may name
 * @param database the database of its rows
 * @param environment clock and timers
 */
public record NodeEnvironment(
        String name, String process, String version, List<String> servers, Database database, Environment environment) {

    /** Nothing of it throws. */
    public NodeEnvironment {
        environment = environment.guarded();
    }

    /** {@return the executor of the database, which refuses nothing} */
    Executor executor() {
        return GuardedExecutor.of(database, environment);
    }

    <T extends @Nullable Object> CompletableFuture<T> run(
            String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        return BridgeContext.run(database, purpose, body);
    }
}
