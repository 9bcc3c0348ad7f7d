package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PayloadException;
import dev.couchjobs.UnknownPayloadKeyException;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.Fence;
import dev.couchjobs.internal.claims.LostClaimErrors;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.transactions.HandlerTries;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.verbs.LogVerbs;
import dev.couchjobs.internal.views.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The job as its handler sees it. */
final class RunContext<D> implements JobContext<D> {
    private final HandledType<D> type;
    private final Database database;
    private final Instance instance;
    private final Transactions transactions;
    private final FinishTransaction finishTransaction;
    private final LogVerbs logVerbs;
    private final JobRun<D> run;
    private final ClaimedJob<D> job;
    private final Optional<Instant> deadline;
    private final int longTriesMax;

    private volatile boolean unreadable;
    private volatile @Nullable Disposition requestedDisposition;

    RunContext(
            Instance instance,
            FinishTransaction finishTransaction,
            JobRun<D> run,
            Optional<Instant> deadline,
            int longTriesMax) {
        this.type = run.type();
        this.database = instance.database();
        this.instance = instance;
        this.transactions = instance.transactions();
        this.finishTransaction = finishTransaction;
        this.logVerbs = new LogVerbs(instance);
        this.run = run;
        this.job = run.job();
        this.deadline = deadline;
        this.longTriesMax = longTriesMax;
    }

    /** {@return the disposition that the handler has requested by {@link #snooze} or {@link #cancel}} */
    Optional<Disposition> requestedDisposition() {
        return Optional.ofNullable(requestedDisposition);
    }

    /** {@return whether the handler got an error because the job's data cannot be read} */
    boolean isUnreadable() {
        return unreadable;
    }

    @Override
    public Job<D> job() {
        return job;
    }

    @Override
    public D data() {
        try {
            return job.data();
        } catch (UnknownPayloadKeyException e) { // another process, or this one later, may have the key
            throw e;
        } catch (PayloadException e) {
            unreadable = true;
            throw e;
        }
    }

    @Override
    public int attempt() {
        return job.failures() + 1;
    }

    @Override
    public long claim() {
        return job.claim();
    }

    @Override
    public Optional<Instant> deadline() {
        return deadline;
    }

    @Override
    public boolean isHalted() {
        return run.isHalted();
    }

    @Override
    public boolean isCancelled() {
        return run.isCancelled();
    }

    @Override
    public void snooze(Duration pause) {
        requestedDisposition = new Disposition.Snoozed(pause);
    }

    @Override
    public void cancel(String reason) {
        requestedDisposition = new Disposition.Cancelled(Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public void log(Object entry) {
        detectingLostClaim(
                () -> logVerbs.append(database, job, LogEntry.Kind.LOG, entry).join());
    }

    @Override
    public void checkpoint(Object checkpoint) {
        detectingLostClaim(() -> logVerbs.append(database, job, LogEntry.Kind.CHECKPOINT, checkpoint)
                .join());
    }

    @Override
    public <T> Optional<T> lastCheckpoint(Class<T> type) {
        return detectingLostClaim(() ->
                        logVerbs.lastCheckpoint(database, job.type(), job.id()).join())
                .map(entry -> entry.as(type));
    }

    @Override
    public void progress(long done, long total, String text) {
        detectingLostClaim(
                () -> logVerbs.progress(database, job, done, total, text).join());
    }

    @Override
    public <T extends @Nullable Object> T run(Function<? super Transaction, T> body) {
        boolean heartbeatDue = type.isHeartbeatDue(run);
        @Nullable SharedActivity before = run.activity();
        T result = detectingLostClaim(() -> transactions.runHandlerTransaction(database, tries(), tx -> {
            fence(tx, heartbeatDue).join();
            return body.apply(tx);
        }));
        renewed(heartbeatDue, before);
        return result;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> body) {
        boolean heartbeatDue = type.isHeartbeatDue(run);
        @Nullable SharedActivity before = run.activity();
        CompletableFuture<T> transaction = transactions.runHandlerTransactionAsync(
                database,
                tries(),
                tx -> fence(tx, heartbeatDue)
                        .thenCompose(held -> UserCode.transaction("The transaction of the handler", body)
                                .apply(tx)));
        return transaction.whenComplete((value, error) -> {
            detectLostClaim(error);
            renewed(heartbeatDue && error == null, before);
        });
    }

    @Override
    public <R extends @Nullable Object> R finish(Function<? super Transaction, R> body) {
        Finish<R> finish = new Finish<>();
        run.setEnding(true);
        try {
            R result = detectingLostClaim(() ->
                    transactions.runHandlerTransaction(database, tries(), finish.earlierTries, tx -> {
                        if (finish.isDoneBefore(tx).join()) {
                            return finish.result();
                        }
                        R given = body.apply(tx);
                        finish.write(tx, given).join();
                        return given;
                    }));
            finish.committed();
            return result;
        } finally {
            run.setEnding(false);
        }
    }

    @Override
    public <R extends @Nullable Object> CompletableFuture<R> finishAsync(
            Function<? super Transaction, ? extends CompletableFuture<R>> body) {
        Finish<R> finish = new Finish<>();
        run.setEnding(true);
        CompletableFuture<R> transaction = transactions.runHandlerTransactionAsync(
                database,
                tries(),
                finish.earlierTries,
                tx -> finish.isDoneBefore(tx)
                        .thenCompose(before -> before
                                ? CompletableFuture.completedFuture(finish.result())
                                : UserCode.transaction("The transaction of the handler", body)
                                        .apply(tx)
                                        .thenCompose(given -> finish.write(tx, given))));
        return transaction.whenComplete((result, error) -> {
            detectLostClaim(error);
            if (error == null) {
                finish.committed();
            }
            run.setEnding(false);
        });
    }

    private HandlerTries tries() {
        return new HandlerTries(instance.environment().clock(), run.toString(), longTriesMax);
    }

    /** The end of a job in a transaction of the handler's, through all its tries. */
    private final class Finish<R extends @Nullable Object> {
        private final long token = instance.environment().random().nextLong();
        private final TokenSearch earlierTries = new TokenSearch(run.ref().keys(), token);
        private volatile @Nullable R result;

        /**
         * {@return whether an earlier try has committed} If none has, the transaction can commit only while the claim
         * is held. The job's row may not show the earlier commit: the job may have been removed or claimed again.
         */
        CompletableFuture<Boolean> isDoneBefore(Transaction tx) {
            return earlierTries
                    .hasCommitted(tx)
                    .thenCompose(hasCommitted -> hasCommitted
                            ? CompletableFuture.completedFuture(true)
                            : fence(tx, false).thenApply(held -> false));
        }

        CompletableFuture<R> write(Transaction tx, R given) {
            Disposition disposition = new Disposition.Succeeded(encoded(job.type(), given));
            result = given;
            return finishTransaction
                    .endIn(
                            tx,
                            new FinishTransaction.FinishRequest(job, disposition),
                            type.activities().emptiedBy(List.of(run)),
                            token)
                    .thenApply(done -> given);
        }

        @SuppressWarnings("NullAway") // null is a result if R allows it
        R result() {
            return result;
        }

        void committed() {
            type.endedByHandler(run);
        }
    }

    @SuppressWarnings("unchecked") // a result of another type cannot be encoded
    private <R> Optional<byte[]> encoded(JobType<?, R> type, @Nullable Object result) {
        return instance.codec().encodeResult(type, job.id(), (R) result);
    }

    /** Lets the transaction commit only while the claim is held; also renews the lease if a heartbeat is due. */
    private CompletableFuture<?> fence(Transaction tx, boolean heartbeatDue) {
        if (run.isReleased()) {
            return CompletableFuture.failedFuture(LostClaimErrors.released(job));
        }
        return instance.transactions()
                .run(
                        tx,
                        joined -> JobStore.of(joined).edit(run.ref(), before -> {
                            JobRow row = Fence.held(joined, job, before);
                            if (heartbeatDue) {
                                JobStore.of(joined).save(run.ref(), row, row.renewed(row.payload()));
                            }
                            return CompletableFuture.completedFuture(row);
                        }));
    }

    private void renewed(boolean heartbeatDue, @Nullable SharedActivity before) {
        if (heartbeatDue) {
            type.renewed(run, before);
        }
    }

    private <T extends @Nullable Object> T detectingLostClaim(Supplier<T> transaction) {
        try {
            return transaction.get();
        } catch (RuntimeException e) {
            detectLostClaim(e);
            throw RootCauses.thrown(e);
        }
    }

    private void detectLostClaim(@Nullable Throwable error) {
        if (error != null
                && RootCauses.thrown(error) instanceof JobHaltedException halt
                && job.id().equals(halt.jobId())
                && job.type().name().equals(halt.typeName())) {
            if (halt instanceof JobAlreadyFinishedException) {
                type.endedByHandler(run);
            } else {
                type.lostInHandler(run, halt.isCancelled());
            }
        }
    }
}
