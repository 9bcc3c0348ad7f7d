package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.TypeTimeoutMissingException;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The verbs of those who create jobs: {@code add} and {@code remove} (RFC 007, "Job Creation API"). */
public final class Creation {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final TimeOrderedIds ids;

    public Creation(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.ids = new TimeOrderedIds(
                instance.environment().clock(), instance.environment().random());
    }

    /** {@return an id that no other job has, greater than all made here before} */
    public String newJobId() {
        return ids.next();
    }

    /** {@return the id of the job} */
    public CompletableFuture<String> add(TransactionContext context, NewJob<?> job) {
        Addition addition = addition(job);
        JobRef ref = addition.ref();
        return transactions.runOnce(
                context, ref.keys(), tx -> CompletableFuture.completedFuture(ref.id()), (tx, token) -> {
                    CompletableFuture<?> timeout = requireTimeout(tx, ref.keys());
                    return JobTable.edit(
                            tx,
                            ref,
                            before -> timeout.thenCompose(known -> addition.to(tx, before))
                                    .thenApply(after -> {
                                        after.ifPresent(row -> JobTable.save(tx, ref, before.orElse(null), row, token));
                                        return ref.id();
                                    }));
                });
    }

    /** {@return the ids of the jobs, in their order} */
    public CompletableFuture<List<String>> addAll(TransactionContext context, Collection<? extends NewJob<?>> jobs) {
        if (jobs.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Batch batch = new Batch(jobs.stream().map(this::addition).toList());
        return transactions.runOnce(
                context, batch.types(), tx -> CompletableFuture.completedFuture(batch.ids()), (tx, token) -> {
                    List<CompletableFuture<?>> timeouts = batch.types().stream()
                            .<CompletableFuture<?>>map(type -> requireTimeout(tx, type))
                            .toList();
                    return batch.add(tx, CompletableFuture.allOf(timeouts.toArray(CompletableFuture<?>[]::new)), token);
                });
    }

    private Addition addition(NewJob<?> job) {
        JobRef ref = keyspace.job(job.type().name(), job.id().orElseGet(ids::next));
        return Addition.of(ref, job, codec);
    }

    private static CompletableFuture<?> requireTimeout(Transaction tx, TypeKeys keys) {
        return TypeTimeouts.get(tx, keys)
                .thenApply(known -> known.orElseThrow(() -> new TypeTimeoutMissingException(keys.typeName())));
    }

    /** {@return whether there was such a job} */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions.runOnce(
                context,
                ref.keys(),
                tx -> CompletableFuture.completedFuture(true),
                (tx, token) -> JobTable.edit(
                        tx, ref, before -> CompletableFuture.completedFuture(removed(tx, ref, before, token))));
    }

    private static boolean removed(Transaction tx, JobRef ref, Optional<JobRow> before, OptionalLong token) {
        before.ifPresent(row -> JobTable.save(tx, ref, row, null, token));
        return before.isPresent();
    }
}
