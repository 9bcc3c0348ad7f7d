package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.turns.TurnKey;
import dev.couchjobs.internal.turns.TurnTable;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** The verbs for the weights of turn keys. */
public final class TurnVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;

    public TurnVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
    }

    /** Sets how many jobs a turn key starts in its turn. */
    public CompletableFuture<Void> setWeight(
            TransactionContext context, JobType<?, ?> type, String turnKey, int weight) {
        if (weight < 1 || weight > TurnTable.WEIGHT_MAX) {
            throw new IllegalArgumentException("A weight is at least 1 and at most " + TurnTable.WEIGHT_MAX
                    + "; this is " + weight + ". To hold jobs of a key back, give them a limit key.");
        }
        return change(context, type, Name.TURN_KEY.checked(turnKey), OptionalInt.of(weight));
    }

    /** Gives a turn key the weight of all others. */
    public CompletableFuture<Void> clearWeight(TransactionContext context, JobType<?, ?> type, String turnKey) {
        return change(context, type, turnKey, OptionalInt.empty());
    }

    private CompletableFuture<Void> change(
            TransactionContext context, JobType<?, ?> type, String turnKey, OptionalInt weight) {
        TurnKey key = key(type, turnKey);
        return transactions.named("set weight", type.name()).run(context, tx -> {
            TurnTable.setWeight(tx, key, weight);
            return CompletableFuture.completedFuture(null);
        });
    }

    /** {@return how many jobs a turn key starts in its turn} */
    public CompletableFuture<Integer> getWeight(ReadTransactionContext context, JobType<?, ?> type, String turnKey) {
        TurnKey key = key(type, turnKey);
        return transactions.named("get weight", type.name()).read(context, tx -> TurnTable.weight(tx, key));
    }

    private TurnKey key(JobType<?, ?> type, String turnKey) {
        Name.TURN_KEY.known(turnKey);
        return new TurnKey(keyspace.type(type.name()), turnKey);
    }
}
