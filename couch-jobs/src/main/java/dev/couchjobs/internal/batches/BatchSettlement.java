package dev.couchjobs.internal.batches;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.BatchNotFoundException;
import dev.couchjobs.BatchState;
import dev.couchjobs.BatchStateException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobsException;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the members of batches, and closes a batch when its last member has ended.
 *
 * <p>Members end without conflicts with each other. So two transactions that end the last two members may each see the
 * other's member outstanding. Therefore a transaction that leaves few members is followed by a check in a transaction
 * of its own. The check after the last of these commits sees the ends of all, and closes the batch.
 */
public final class BatchSettlement implements Settler {
    /** Fewer members than this may end in transactions that do not see each other. */
    private static final long FEW = 10_000;

    private final Keyspace keyspace;
    /** The batches that this process checks now, and whether a further check must follow. */
    private final Map<String, Boolean> checks = new ConcurrentHashMap<>();

    public BatchSettlement(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> saved, FollowUp followUp) {
        List<MemberChange> changes = new ArrayList<>(0);
        for (SavedChange change : saved) {
            MemberChange.of(change).filter(MemberChange::isAny).ifPresent(changes::add);
        }
        if (changes.isEmpty()) {
            return NOTHING;
        }
        Map<String, BatchCounters> counted = new LinkedHashMap<>();
        changes.forEach(change -> count(tx, counted, change));
        List<CompletableFuture<?>> settled = new ArrayList<>();
        changes.stream()
                .filter(change ->
                        change.batchAfter() != null && !Objects.equals(change.batchBefore(), change.batchAfter()))
                .map(MemberChange::batchAfter)
                .distinct()
                .forEach(batch -> settled.add(requireOpen(tx, Objects.requireNonNull(batch))));
        counted.forEach((batch, change) -> {
            change.save(tx, keyspace, batch);
            settled.add(settle(tx, followUp, batch, change));
        });
        changes.stream()
                .filter(change -> change.removedBatch() != null)
                .forEach(change -> settled.add(forget(
                        tx,
                        Objects.requireNonNull(change.removedBatch()),
                        change.change().ref())));
        return Futures.allOf(settled);
    }

    /** A verb that this transaction runs beside an addition may have closed the batch after it was found open. */
    private CompletableFuture<?> requireOpen(Transaction tx, String batch) {
        return inOrder(tx, batch, () -> BatchRow.find(tx, keyspace, batch)).thenApply(row -> {
            if (row.filter(BatchRow::mayClose).isEmpty()) {
                JobsException refusal = row.isEmpty()
                        ? new BatchNotFoundException(batch)
                        : new BatchStateException(
                                batch,
                                row.get().state(),
                                "the transaction that closes it adds a job to it. Add it first.");
                TransactionScope.cancel(tx, refusal);
                throw refusal;
            }
            return row;
        });
    }

    private <T> CompletableFuture<T> inOrder(Transaction tx, String batch, Supplier<CompletableFuture<T>> step) {
        return JobStore.of(tx).inOrder(List.of(BatchRow.key(keyspace, batch)), step);
    }

    private void count(Transaction tx, Map<String, BatchCounters> counted, MemberChange change) {
        String was = change.batchBefore();
        String is = change.batchAfter();
        JobRow before = change.change().before();
        JobRow after = change.change().event();
        JobRef ref = change.change().ref();
        boolean stays = was != null && was.equals(is);
        boolean wasOutstanding = was != null && isOutstanding(before);
        boolean isOutstanding = is != null && isOutstanding(after);
        if (was != null && before != null && (stays || wasOutstanding)) {
            BatchCounters counters = counted.computeIfAbsent(was, unused -> BatchCounters.none());
            counters.add(before, -1);
            if (!stays) {
                counters.addRemoved();
            }
        }
        if (is != null && after != null) {
            counted.computeIfAbsent(is, unused -> BatchCounters.none()).add(after, 1);
        }
        if (was != null && wasOutstanding && !(stays && isOutstanding)) {
            BatchRow.note(tx, keyspace, was, ref, false);
        }
        if (is != null && isOutstanding && !(stays && wasOutstanding)) {
            BatchRow.note(tx, keyspace, is, ref, true);
        }
    }

    private static boolean isOutstanding(@Nullable JobRow row) {
        return row != null && row.state() != JobState.FINISHED;
    }

    /** The row and the counters are read by snapshot: the ends of members do not conflict with each other. */
    private CompletableFuture<?> settle(Transaction tx, FollowUp followUp, String batch, BatchCounters change) {
        if (change.outstanding() >= 0 && !change.isAnyEnd()) {
            return CompletableFuture.completedFuture(change);
        }
        boolean hasFailed = change.failed() > 0 || change.expired() > 0;
        CompletableFuture<BatchCounters> read = BatchCounters.read(tx.snapshot(), keyspace, batch);
        return BatchRow.find(tx.snapshot(), keyspace, batch)
                .thenCompose(row -> read.thenCompose(counters -> row.isEmpty()
                        ? clearIfGone(tx, batch)
                        : settle(tx, followUp, batch, row.get(), counters, hasFailed)));
    }

    private CompletableFuture<Boolean> settle(
            Transaction tx, FollowUp followUp, String batch, BatchRow row, BatchCounters counters, boolean hasFailed) {
        if (hasFailed && row.closesAtFailure() && row.mayClose()) {
            return closeIf(tx, batch, found -> true, counted -> true);
        }
        return checkIfFewAreLeft(tx, followUp, batch, counters);
    }

    /**
     * Closes a batch that has no members left as far as this transaction sees, or checks that once it has committed.
     */
    private CompletableFuture<Boolean> checkIfFewAreLeft(
            Transaction tx, FollowUp followUp, String batch, BatchCounters counters) {
        if (counters.outstanding() <= 0) {
            return closeIfEnded(tx, batch);
        }
        if (counters.outstanding() <= FEW) {
            checkAfter(tx, followUp, batch);
        }
        return CompletableFuture.completedFuture(false);
    }

    /** A member may outlive its batch: what it has counted must not reach the next batch of the name. */
    private CompletableFuture<Boolean> clearIfGone(Transaction tx, String batch) {
        return inOrder(
                tx,
                batch,
                () -> BatchRow.find(tx, keyspace, batch).thenApply(row -> {
                    if (row.isEmpty()) {
                        BatchRow.clear(tx, keyspace, batch);
                    }
                    return false;
                }));
    }

    /** Removes a batch with its closing job, unless another batch has the name, or members have not ended. */
    private CompletableFuture<?> forget(Transaction tx, String batch, JobRef closing) {
        return inOrder(
                tx,
                batch,
                () -> BatchRow.find(tx, keyspace, batch)
                        .thenCombine(BatchCounters.read(tx, keyspace, batch), (row, counters) -> {
                            if (row.filter(found -> found.isClosedBy(closing) && !found.mayClose())
                                            .isPresent()
                                    && counters.outstanding() <= 0) {
                                BatchRow.clear(tx, keyspace, batch);
                            }
                            return row;
                        }));
    }

    /** Closes a batch whose members have all ended, and which takes no more. {@return whether it did} */
    public CompletableFuture<Boolean> closeIfEnded(Transaction tx, String batch) {
        return closeIf(tx, batch, row -> row.state() == BatchState.SEALED, counters -> counters.outstanding() <= 0);
    }

    private CompletableFuture<Boolean> closeIf(
            Transaction tx, String batch, Predicate<BatchRow> isReady, Predicate<BatchCounters> hasEnded) {
        return inOrder(
                tx,
                batch,
                () -> BatchRow.find(tx, keyspace, batch)
                        .thenCombine(
                                BatchCounters.read(tx, keyspace, batch),
                                (row, counters) -> row.filter(BatchRow::mayClose)
                                        .filter(isReady)
                                        .filter(found -> hasEnded.test(counters)))
                        .thenCompose(row -> row.isPresent()
                                ? end(tx, batch, row.get(), BatchState.CLOSED).thenApply(done -> true)
                                : CompletableFuture.completedFuture(false)));
    }

    /** Checks a batch that the caller has sealed, in the order of the verbs of its transaction. */
    public CompletableFuture<Boolean> sealed(Transaction tx, FollowUp followUp, String batch) {
        return BatchCounters.read(tx.snapshot(), keyspace, batch)
                .thenCompose(counters -> checkIfFewAreLeft(tx, followUp, batch, counters));
    }

    /**
     * Checks the batch of a closing job that waits, and lets the job run if the batch has closed without it: its row
     * was damaged then.
     *
     * @return whether the job needs no further check
     */
    public CompletableFuture<Boolean> check(Transaction tx, JobRef closing, String batch) {
        return BatchRow.find(tx, keyspace, batch).thenCompose(row -> {
            if (row.isEmpty() || row.get().state() == BatchState.CANCELLED) {
                return CompletableFuture.completedFuture(true);
            }
            return row.get().state() == BatchState.CLOSED && row.get().isClosedBy(closing)
                    ? release(tx, closing, batch).thenApply(done -> true)
                    : closeIfEnded(tx, batch);
        });
    }

    private static CompletableFuture<?> release(Transaction tx, JobRef closing, String batch) {
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(closing, job -> {
            job.filter(found -> found.isClosingHeld(batch))
                    .ifPresent(found -> jobs.save(closing, found, found.releasedByBatch()));
            return CompletableFuture.completedFuture(job);
        });
    }

    /** Closes a batch, or marks it as cancelled. Its closing job may run if it is closed. */
    public CompletableFuture<?> end(Transaction tx, String batch, BatchRow row, BatchState state) {
        row.with(state).write(tx, keyspace, batch);
        if (row.state() == BatchState.OPEN) {
            BatchCounters.none().addOutstanding(-1).save(tx, keyspace, batch);
        }
        Optional<JobRef> closing = row.closing(keyspace);
        return state == BatchState.CANCELLED || closing.isEmpty()
                ? CompletableFuture.completedFuture(row)
                : release(tx, closing.get(), batch);
    }

    /** Checks a batch once a transaction has committed. One check at a time runs in this process for each batch. */
    private void checkAfter(Transaction tx, FollowUp followUp, String batch) {
        Database database = tx.getDatabase();
        var unused = tx.getVersionstamp().thenAccept(committed -> check(database, followUp, batch));
    }

    private void check(Database database, FollowUp followUp, String batch) {
        boolean isRunning = checks.merge(batch, false, (running, added) -> true);
        if (!isRunning) {
            runCheck(database, followUp, batch);
        }
    }

    /** A check that fails is repeated by the sweep of the closing job's type. */
    private void runCheck(Database database, FollowUp followUp, String batch) {
        var unused = followUp.run(database, tx -> closeIfEndedBySnapshot(tx, batch))
                .whenComplete((closed, error) -> {
                    Boolean again = checks.computeIfPresent(batch, (name, isRequested) -> isRequested ? false : null);
                    if (again != null) {
                        runCheck(database, followUp, batch);
                    }
                });
    }

    /** Most checks find that members are left, and must not conflict with their ends. */
    private CompletableFuture<Boolean> closeIfEndedBySnapshot(Transaction tx, String batch) {
        return BatchCounters.read(tx.snapshot(), keyspace, batch)
                .thenCompose(counters -> counters.outstanding() <= 0
                        ? closeIfEnded(tx, batch)
                        : CompletableFuture.completedFuture(false));
    }
}
