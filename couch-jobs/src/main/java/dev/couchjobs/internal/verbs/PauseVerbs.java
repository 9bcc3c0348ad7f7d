package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.TypePause;
import dev.couchjobs.internal.claims.ErrorText;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypePauses;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs that pause types. */
public final class PauseVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final InstantSource clock;

    public PauseVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.clock = instance.clock();
    }

    /** Pauses a type. */
    public CompletableFuture<Void> pause(TransactionContext context, JobType<?, ?> type, String reason) {
        String storedReason = ErrorText.bounded(ErrorText.storable(Objects.requireNonNull(reason, "reason")));
        return transactions.named("pause", type.name()).run(context, tx -> {
            TypePauses.set(tx, keyspace.type(type.name()), clock.millis(), storedReason);
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Ends the pause of a type. */
    public CompletableFuture<Void> resume(TransactionContext context, JobType<?, ?> type) {
        return transactions.named("resume", type.name()).run(context, tx -> {
            TypePauses.clear(tx, keyspace.type(type.name()));
            return CompletableFuture.completedFuture(null);
        });
    }

    /** {@return the pause of a type, if it is paused} */
    public CompletableFuture<Optional<TypePause>> get(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("get pause of", type.name())
                .read(context, tx -> TypePauses.get(tx, keyspace.type(type.name())));
    }
}
