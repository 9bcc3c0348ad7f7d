package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A transaction that hands everything on, and has its reads, its watches and its commit go wrong as planned. */
final class FaultyTransaction extends FaultyReadTransaction implements Transaction {
    private final FaultyDatabase database;
    private final Transaction delegate;
    private final FaultPlan plan;
    private final Progress progress;
    private final ReadTransaction snapshot;
    private final List<Runnable> onceArmed = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Boolean> told = new CompletableFuture<>();

    FaultyTransaction(FaultyDatabase database, Transaction delegate, FaultPlan plan) {
        this(database, delegate, plan, new Progress(database.nextNumber()));
    }

    private FaultyTransaction(FaultyDatabase database, Transaction delegate, FaultPlan plan, Progress progress) {
        super(delegate, new FaultyReads(plan, () -> progress.step(FaultPoint.Kind.READ)));
        this.database = database;
        this.delegate = delegate;
        this.plan = plan;
        this.progress = progress;
        this.snapshot = super.snapshot();
        plan.begun(progress.number);
    }

    /** How far the transaction has come. */
    private static final class Progress {
        final long number;
        volatile boolean writes;

        Progress(long number) {
            this.number = number;
        }

        FaultPoint step(FaultPoint.Kind kind) {
            return new FaultPoint(kind, writes, number);
        }
    }

    private Transaction writing() {
        progress.writes = true;
        return delegate;
    }

    /** Always the same, as there are those who know a transaction by it. */
    @Override
    public ReadTransaction snapshot() {
        return snapshot;
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
        FaultPoint point = progress.step(FaultPoint.Kind.COMMIT);
        return plan.before(point).thenCompose(go -> commit(point)).whenComplete((done, error) -> told.complete(true));
    }

    private CompletableFuture<Void> commit(FaultPoint point) {
        InjectedFault fault = plan.injectedFault(point);
        CompletableFuture<Void> answer = fault == null ? committed() : applyFault(fault);
        CompletableFuture<FaultPoint> decided = answer.handle((done, error) -> {
            plan.decided(point, error);
            return point;
        });
        return decided.thenCompose(known -> plan.after(known, fault)).thenCompose(now -> answer);
    }

    private CompletableFuture<Void> committed() {
        return delegate.commit().whenComplete((done, error) -> {
            if (error == null) {
                onceArmed.forEach(Runnable::run);
            }
        });
    }

    private CompletableFuture<Void> applyFault(InjectedFault fault) {
        CompletableFuture<Void> fate = fault.takesEffect() ? committed() : CompletableFuture.completedFuture(null);
        return fate.thenCompose(
                done -> fault.error().map(CompletableFuture::<Void>failedFuture).orElse(fate));
    }

    /**
     * Stands between the real watch and the caller that waits for it, so that it can be late, fail or fire for no
     * reason.
     */
    @Override
    public CompletableFuture<Void> watch(byte[] key) {
        FaultPoint point = progress.step(FaultPoint.Kind.WATCH);
        InjectedFault fault = plan.injectedFault(point);
        CompletableFuture<Void> real = delegate.watch(key);
        CompletableFuture<Void> seen = new CompletableFuture<>();
        var unused = real.handle((fired, error) -> Optional.ofNullable(error))
                .thenCompose(error -> plan.after(point, fault).thenAccept(now -> settle(seen, error.orElse(null))));
        var unusedToo = seen.whenComplete((fired, error) -> real.cancel(true));
        if (fault != null) {
            onceArmed.add(() -> failWatch(seen, point, fault));
        }
        return seen;
    }

    private void failWatch(CompletableFuture<Void> watch, FaultPoint point, InjectedFault fault) {
        var unused = plan.before(point)
                .thenCompose(now -> plan.after(point, fault))
                .thenAccept(now -> settle(watch, fault.error().orElse(null)));
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
        return delegate.onError(e).thenApply(fresh -> new FaultyTransaction(database, fresh, plan));
    }

    @Override
    public Long getCommittedVersion() {
        return delegate.getCommittedVersion();
    }

    @Override
    public CompletableFuture<byte[]> getVersionstamp() {
        CompletableFuture<byte[]> stamp = delegate.getVersionstamp();
        return told.thenCompose(answered -> stamp);
    }

    @Override
    public CompletableFuture<Long> getApproximateSize() {
        return delegate.getApproximateSize();
    }

    @Override
    public void cancel() {
        told.complete(false);
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
        told.complete(false);
        delegate.close();
    }
}
