package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A transaction that hands everything on, and has its reads, its watches and its commit go wrong as planned. */
final class ForwardingTransaction extends ForwardingReadTransaction implements Transaction {
    private final FaultyDatabase database;
    private final Transaction delegate;
    private final FaultPlan plan;
    private final Progress progress;
    private final List<Runnable> onceArmed = new CopyOnWriteArrayList<>();

    ForwardingTransaction(FaultyDatabase database, Transaction delegate, FaultPlan plan) {
        this(database, delegate, plan, new Progress());
    }

    private ForwardingTransaction(FaultyDatabase database, Transaction delegate, FaultPlan plan, Progress progress) {
        super(delegate, new FaultyReads(plan, () -> progress.step(Step.Kind.READ)));
        this.database = database;
        this.delegate = delegate;
        this.plan = plan;
        this.progress = progress;
    }

    /** How far the transaction has come. */
    private static final class Progress {
        volatile boolean writes;

        Step step(Step.Kind kind) {
            return new Step(kind, writes);
        }
    }

    private Transaction writing() {
        progress.writes = true;
        return delegate;
    }

    @Override
    public void addReadConflictRange(byte[] keyBegin, byte[] keyEnd) {
        delegate.addReadConflictRange(keyBegin, keyEnd);
    }

    @Override
    public void addReadConflictKey(byte[] key) {
        delegate.addReadConflictKey(key);
    }

    @Override
    public void addWriteConflictRange(byte[] keyBegin, byte[] keyEnd) {
        writing().addWriteConflictRange(keyBegin, keyEnd);
    }

    @Override
    public void addWriteConflictKey(byte[] key) {
        writing().addWriteConflictKey(key);
    }

    @Override
    public void set(byte[] key, byte[] value) {
        writing().set(key, value);
    }

    @Override
    public void clear(byte[] key) {
        writing().clear(key);
    }

    @Override
    public void clear(byte[] beginKey, byte[] endKey) {
        writing().clear(beginKey, endKey);
    }

    @Override
    public void clear(Range range) {
        writing().clear(range);
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // deprecated by the interface, not by us
    public void clearRangeStartsWith(byte[] prefix) {
        writing().clear(Range.startsWith(prefix));
    }

    @Override
    public void mutate(MutationType optype, byte[] key, byte[] param) {
        writing().mutate(optype, key, param);
    }

    @Override
    public CompletableFuture<Void> commit() {
        Step step = progress.step(Step.Kind.COMMIT);
        return plan.before(step).thenCompose(go -> {
            Fault fault = plan.fault(step);
            CompletableFuture<Void> answer = fault == null ? committed() : faulty(fault);
            return answer.handle((done, error) -> step)
                    .thenCompose(settled -> plan.after(settled, fault))
                    .thenCompose(told -> answer);
        });
    }

    private CompletableFuture<Void> committed() {
        return delegate.commit().whenComplete((done, error) -> {
            if (error == null) {
                onceArmed.forEach(Runnable::run);
            }
        });
    }

    private CompletableFuture<Void> faulty(Fault fault) {
        CompletableFuture<Void> fate = fault.isCommitted() ? committed() : CompletableFuture.completedFuture(null);
        return fate.thenCompose(
                done -> fault.error().map(CompletableFuture::<Void>failedFuture).orElse(fate));
    }

    /** Stands between the real watch and whoever waits for it, so that it can be late, fail or fire for no reason. */
    @Override
    public CompletableFuture<Void> watch(byte[] key) {
        Step step = progress.step(Step.Kind.WATCH);
        Fault fault = plan.fault(step);
        CompletableFuture<Void> real = delegate.watch(key);
        CompletableFuture<Void> seen = new CompletableFuture<>();
        var unused = real.handle((fired, error) -> Optional.ofNullable(error))
                .thenCompose(error -> plan.after(step, fault).thenAccept(told -> settle(seen, error.orElse(null))));
        var unusedToo = seen.whenComplete((fired, error) -> real.cancel(true));
        if (fault != null) {
            onceArmed.add(() -> settle(seen, fault.error().orElse(null)));
        }
        return seen;
    }

    private static void settle(CompletableFuture<Void> watch, @Nullable Throwable error) {
        if (error == null) {
            watch.complete(null);
        } else {
            watch.completeExceptionally(error);
        }
    }

    @Override
    public CompletableFuture<Transaction> onError(Throwable e) {
        return delegate.onError(e).thenApply(fresh -> new ForwardingTransaction(database, fresh, plan));
    }

    @Override
    public Long getCommittedVersion() {
        return delegate.getCommittedVersion();
    }

    @Override
    public CompletableFuture<byte[]> getVersionstamp() {
        return delegate.getVersionstamp();
    }

    @Override
    public CompletableFuture<Long> getApproximateSize() {
        return delegate.getApproximateSize();
    }

    @Override
    public void cancel() {
        delegate.cancel();
    }

    @Override
    public Database getDatabase() {
        return database;
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable) {
        return retryable.apply(this);
    }

    @Override
    public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        return AsyncUtil.applySafely(retryable, this);
    }

    @Override
    public void close() {
        delegate.close();
    }
}
