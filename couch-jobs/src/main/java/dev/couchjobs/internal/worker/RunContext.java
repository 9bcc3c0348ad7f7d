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
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.Fence;
import dev.couchjobs.internal.claims.LostClaimErrors;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.RootCauses;
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
    private final TypeRuns<D> runs;
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
    private volatile @Nullable Disposition wanted;

    RunContext(
            TypeRuns<D> runs,
            Instance instance,
            FinishTransaction finishTransaction,
            JobRun<D> run,
            Optional<Instant> deadline,
            int longTriesMax) {
        this.runs = runs;
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

    /** What the handler asked for. */
    Optional<Disposition> wanted() {
        return Optional.ofNullable(wanted);
    }

    /** Whether the handler was told that the job's data cannot be read. */
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
    public void snooze(Duration time) {
        wanted = new Disposition.Snoozed(time);
    }

    @Override
    public void cancel(String reason) {
        wanted = new Disposition.Cancelled(Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public void log(Object entry) {
        noticing(() -> logVerbs.append(database, job, LogEntry.Kind.LOG, entry).join());
    }

    @Override
    public void checkpoint(Object checkpoint) {
        noticing(() -> logVerbs.append(database, job, LogEntry.Kind.CHECKPOINT, checkpoint)
                .join());
    }

    @Override
    public <T> Optional<T> lastCheckpoint(Class<T> type) {
        return noticing(() ->
                        logVerbs.lastCheckpoint(database, job.type(), job.id()).join())
                .map(entry -> entry.as(type));
    }

    @Override
    public void progress(long done, long total, String text) {
        noticing(() -> logVerbs.progress(database, job, done, total, text).join());
    }

    @Override
    public <T extends @Nullable Object> T run(Function<? super Transaction, T> body) {
        boolean silent = runs.isSilent(run);
        @Nullable SharedActivity before = run.activity();
        T result = noticing(() -> transactions.runFor(database, tries(), tx -> {
            fence(tx, silent).join();
            return body.apply(tx);
        }));
        heard(silent, before);
        return result;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> body) {
        boolean silent = runs.isSilent(run);
        @Nullable SharedActivity before = run.activity();
        CompletableFuture<T> done = transactions.runForAsync(
                database, tries(), tx -> fence(tx, silent).thenCompose(held -> body.apply(tx)));
        return done.whenComplete((value, error) -> {
            notice(error);
            heard(silent && error == null, before);
        });
    }

    @Override
    public <R extends @Nullable Object> R finish(Function<? super Transaction, R> body) {
        Finish<R> finish = new Finish<>();
        R result = noticing(() -> transactions.runFor(database, tries(), finish.earlierTries, tx -> {
            if (finish.isDoneBefore(tx).join()) {
                return finish.result();
            }
            R given = body.apply(tx);
            finish.write(tx, given).join();
            return given;
        }));
        finish.committed();
        return result;
    }

    @Override
    public <R extends @Nullable Object> CompletableFuture<R> finishAsync(
            Function<? super Transaction, ? extends CompletableFuture<R>> body) {
        Finish<R> finish = new Finish<>();
        CompletableFuture<R> done = transactions.runForAsync(
                database,
                tries(),
                finish.earlierTries,
                tx -> finish.isDoneBefore(tx)
                        .thenCompose(before -> before
                                ? CompletableFuture.completedFuture(finish.result())
                                : body.apply(tx).thenCompose(given -> finish.write(tx, given))));
        return done.whenComplete((result, error) -> {
            notice(error);
            if (error == null) {
                finish.committed();
            }
        });
    }

    private HandlerTries tries() {
        return new HandlerTries(instance.environment().clock(), run.toString(), longTriesMax);
    }

    /** An end by a transaction of the handler's, through all its tries. */
    private final class Finish<R extends @Nullable Object> {
        private final long token = instance.environment().random().nextLong();
        private final TokenSearch earlierTries = new TokenSearch(run.ref().keys(), token);
        private volatile @Nullable R result;

        /**
         * Whether an earlier try has committed; if not, this one goes on only while the claim holds. The job's own row
         * may no longer show it: nothing may be kept of it, or others may have claimed it again.
         */
        CompletableFuture<Boolean> isDoneBefore(Transaction tx) {
            return earlierTries
                    .hasCommitted(tx)
                    .thenCompose(done -> done
                            ? CompletableFuture.completedFuture(true)
                            : fence(tx, false).thenApply(held -> false));
        }

        CompletableFuture<R> write(Transaction tx, R given) {
            Disposition disposition = new Disposition.Succeeded(encoded(job.type(), given));
            result = given;
            return finishTransaction
                    .endIn(
                            tx,
                            job.type(),
                            new FinishTransaction.FinishRequest(job, disposition),
                            runs.activities().emptiedBy(List.of(run)),
                            token)
                    .thenApply(done -> given);
        }

        @SuppressWarnings("NullAway") // null is a result if R allows it
        R result() {
            return result;
        }

        void committed() {
            runs.endWrittenByHandler(run);
        }
    }

    @SuppressWarnings("unchecked") // what is not of the type's result type cannot be encoded
    private <R> Optional<byte[]> encoded(JobType<?, R> type, @Nullable Object result) {
        return instance.codec().encodeResult(type, job.id(), (R) result);
    }

    /** Lets the transaction go on only while the job is held; also gives a sign of life, if one is wanted. */
    private CompletableFuture<?> fence(Transaction tx, boolean signOfLife) {
        if (run.isReleased()) {
            return CompletableFuture.failedFuture(LostClaimErrors.released(job));
        }
        return instance.transactions()
                .run(
                        tx,
                        joined -> JobTransaction.of(joined).edit(run.ref(), before -> {
                            JobRow row = Fence.held(joined, job, before);
                            if (signOfLife) {
                                JobTransaction.of(joined).save(run.ref(), row, row.renewed(row.payload()));
                            }
                            return CompletableFuture.completedFuture(row);
                        }));
    }

    private void heard(boolean signOfLife, @Nullable SharedActivity before) {
        if (signOfLife) {
            runs.heard(run, before);
        }
    }

    private <T extends @Nullable Object> T noticing(Supplier<T> transaction) {
        try {
            return transaction.get();
        } catch (RuntimeException e) {
            notice(e);
            throw RootCauses.thrown(e);
        }
    }

    private void notice(@Nullable Throwable error) {
        if (error != null
                && RootCauses.thrown(error) instanceof JobHaltedException lost
                && job.id().equals(lost.jobId())
                && job.type().name().equals(lost.typeName())) {
            if (lost instanceof JobAlreadyFinishedException) {
                runs.endWrittenByHandler(run);
            } else {
                runs.claimLostInHandler(run);
            }
        }
    }
}
