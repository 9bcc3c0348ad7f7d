package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.TypePause;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.claims.ErrorText;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.ClaimRules;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.Instant;
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
        TypePause pause = new TypePause(Instant.ofEpochMilli(clock.millis()), storedReason);
        return transactions
                .named("pause", type.name())
                .run(
                        context,
                        tx -> ClaimRules.set(
                                tx, keyspace, type.name(), Feature.CLAIM_RULES, rules -> rules.withPause(pause)));
    }

    /** Ends the pause of a type. Rules that are damaged, and so pause the type, are removed. */
    public CompletableFuture<Void> resume(TransactionContext context, JobType<?, ?> type) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("resume", type.name())
                .run(
                        context,
                        tx -> ClaimRules.change(tx, keys, rules -> rules.withPause(null))
                                .exceptionallyCompose(error -> {
                                    if (!(RootCauses.of(error) instanceof UndecodableRowException)) {
                                        return CompletableFuture.failedFuture(error);
                                    }
                                    return ClaimRules.clear(tx, keys);
                                }));
    }

    /** {@return the pause of a type, if it is paused} */
    public CompletableFuture<Optional<TypePause>> get(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("get pause of", type.name())
                .read(
                        context,
                        tx -> ClaimRules.read(tx, keyspace.type(type.name()))
                                .thenApply(rules -> Optional.ofNullable(rules.pause())));
    }
}
