package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.Rate;
import dev.couchjobs.TypeLimitInfo;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.ClaimRules;
import dev.couchjobs.internal.limits.RateMeter;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The verbs for the limits of whole types, which claims respect. */
public final class TypeLimitVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;

    public TypeLimitVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
    }

    /** Sets how many jobs of a type run at once. */
    public CompletableFuture<Void> setTotal(TransactionContext context, JobType<?, ?> type, int max) {
        return changeTotal(context, type, LimitVerbs.checked(max));
    }

    /** Removes that limit. */
    public CompletableFuture<Void> clearTotal(TransactionContext context, JobType<?, ?> type) {
        return changeTotal(context, type, OptionalInt.empty());
    }

    private CompletableFuture<Void> changeTotal(TransactionContext context, JobType<?, ?> type, OptionalInt max) {
        return change("set limit", context, type, max.isPresent(), (tx, rules) -> rules.withMax(max));
    }

    /** A change of the rules of a type, in a transaction. */
    private interface Change {
        ClaimRules apply(Transaction tx, ClaimRules rules);
    }

    /** @param sets whether a rule is set, and not removed */
    private CompletableFuture<Void> change(
            String name, TransactionContext context, JobType<?, ?> type, boolean sets, Change change) {
        return transactions
                .named(name, type.name())
                .run(
                        context,
                        tx -> sets
                                ? ClaimRules.set(
                                        tx,
                                        keyspace,
                                        type.name(),
                                        Feature.LIMIT_SHARDS,
                                        rules -> change.apply(tx, rules))
                                : ClaimRules.change(tx, keyspace.type(type.name()), rules -> change.apply(tx, rules)));
    }

    /** Sets how many jobs of a type start in a period. */
    public CompletableFuture<Void> setRate(TransactionContext context, JobType<?, ?> type, Rate rate) {
        return changeRate(context, type, Objects.requireNonNull(rate, "rate"));
    }

    /** Removes the rate. */
    public CompletableFuture<Void> clearRate(TransactionContext context, JobType<?, ?> type) {
        return changeRate(context, type, null);
    }

    /** A rate that is set again forgets nothing. */
    private CompletableFuture<Void> changeRate(TransactionContext context, JobType<?, ?> type, @Nullable Rate rate) {
        TypeKeys keys = keyspace.type(type.name());
        return change("set rate", context, type, rate != null, (tx, rules) -> {
            if (!Objects.equals(rate, rules.rate())) {
                RateMeter.reset(tx, keys);
            }
            return rules.withRate(rate);
        });
    }

    /** {@return the limits of a type, and how many of its jobs run} */
    public CompletableFuture<TypeLimitInfo> get(ReadTransactionContext context, JobType<?, ?> type) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("get limit", type.name())
                .read(
                        context,
                        tx -> ClaimRules.read(tx, keys)
                                .thenCombine(
                                        StateCounters.read(tx, keys),
                                        (rules, counts) -> new TypeLimitInfo(
                                                rules.max(), counts.running(), Optional.ofNullable(rules.rate()))));
    }
}
