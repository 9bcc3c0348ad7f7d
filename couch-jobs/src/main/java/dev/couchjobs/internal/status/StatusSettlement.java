package dev.couchjobs.internal.status;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobStatus;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.limits.LimitedJob;
import dev.couchjobs.internal.limits.PlacedJobs;
import dev.couchjobs.internal.limits.SlotTable;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Writes the status indexes of types that have one.
 *
 * <p>The end of a verb settles the changes of the jobs, because only then it is known whether a job with a limit key
 * waits for a slot. While an index is being built, a transaction that changes a job reads whether that job has a row
 * already, and clears the row. The build reads the same key, so the two conflict, and each row is counted once.
 */
public final class StatusSettlement implements Settler {
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> saved, FollowUp followUp) {
        List<LimitedJob> slots = PlacedJobs.take(tx);
        if ((saved.isEmpty() && slots.isEmpty()) || !StatusIndex.mayBeUsed(tx)) {
            return NOTHING;
        }
        Map<TypeKeys, Changes> byType = new LinkedHashMap<>();
        saved.stream()
                .filter(change -> change.isRestored() || shows(change.before(), change.after()))
                .map(change -> new StatusChange(change.ref(), change.before(), change.after(), change.isRestored()))
                .forEach(change -> byType.computeIfAbsent(change.ref().keys(), type -> new Changes())
                        .ofRows()
                        .merge(change.ref(), change, StatusChange::then));
        slots.forEach(job -> byType.computeIfAbsent(job.ref().keys(), type -> new Changes())
                .ofSlots()
                .add(job));
        return Futures.allOf(byType.entrySet().stream()
                .map(type -> settle(tx, type.getKey(), type.getValue()))
                .toList());
    }

    /** {@return whether a change shows in the index; that of a heartbeat does not} */
    private static boolean shows(@Nullable JobRow before, @Nullable JobRow after) {
        if (before == null || after == null) {
            return before != null || after != null;
        }
        JobOptions were = before.options();
        JobOptions are = after.options();
        return before.state() != after.state()
                || before.scheduledTime() != after.scheduledTime()
                || before.claimInfo().number() != after.claimInfo().number()
                || before.claimInfo().failures() != after.claimInfo().failures()
                || were.blocked() != are.blocked()
                || were.due() != are.due()
                || were.priority() != are.priority()
                || were.since() != are.since()
                || !were.keys().equals(are.keys())
                || !Objects.equals(before.claimEnd(), after.claimEnd());
    }

    private static CompletableFuture<@Nullable Void> settle(Transaction tx, TypeKeys keys, Changes changes) {
        return JobStore.of(tx)
                .inOrder(
                        List.of(StatusKeys.of(keys).statusesPrefix()),
                        () -> StatusIndex.stateWhileWriting(tx, keys)
                                .thenCompose(state -> state == StatusIndex.State.NONE
                                        ? CompletableFuture.completedFuture(null)
                                        : new OfType(tx, keys, state).settle(changes)));
    }

    /**
     * Indexes the next jobs, by id, of a type whose index is being built.
     *
     * @return how many there were; fewer than the limit if no more follow, and the index is complete
     */
    public static CompletableFuture<Integer> build(Transaction tx, TypeKeys keys, int limit) {
        OfType settlement = new OfType(tx, keys, StatusIndex.State.BUILDING);
        return StatusIndex.builtUpTo(tx, keys)
                .thenCompose(after -> JobTable.list(tx, keys, after, limit))
                .thenCompose(rows -> settlement.add(rows.byId()).thenApply(done -> {
                    int count = rows.byId().size();
                    if (count < limit) {
                        StatusIndex.complete(tx, keys);
                    } else {
                        rows.byId().keySet().stream()
                                .skip(limit - 1L)
                                .forEach(last -> StatusIndex.builtUpTo(tx, keys, last));
                    }
                    return count;
                }));
    }

    /**
     * What the changes of a job by one transaction mean for the index.
     *
     * @param before the row before all of them, or null
     * @param after the row after all of them, or null
     * @param isRestored whether the job is indexed again: it may have no row, or a stale one
     */
    private record StatusChange(
            JobRef ref, @Nullable JobRow before, @Nullable JobRow after, boolean isRestored) {
        StatusChange then(StatusChange next) {
            return new StatusChange(ref, before, next.after, isRestored || next.isRestored);
        }
    }

    /** What a transaction has changed in one type. */
    private record Changes(Map<JobRef, StatusChange> ofRows, List<LimitedJob> ofSlots) {
        Changes() {
            this(new LinkedHashMap<>(), new ArrayList<>());
        }
    }

    /** Writes the index of one type. */
    private static final class OfType {
        private final Transaction tx;
        private final TypeKeys keys;
        private final StatusIndex.State state;
        private final long[] counted = new long[StatusRow.STORED.size()];

        OfType(Transaction tx, TypeKeys keys, StatusIndex.State state) {
            this.tx = tx;
            this.keys = keys;
            this.state = state;
        }

        private CompletableFuture<@Nullable Void> settle(Changes changes) {
            List<CompletableFuture<?>> settled = new ArrayList<>();
            changes.ofRows().values().forEach(change -> settled.add(move(change)));
            changes.ofSlots().stream()
                    .filter(job -> !changes.ofRows().containsKey(job.ref()))
                    .forEach(job -> settled.add(place(job)));
            return Futures.allOf(settled).thenAccept(done -> StatusIndex.count(tx, keys, counted));
        }

        private CompletableFuture<?> move(StatusChange change) {
            JobRef ref = change.ref();
            CompletableFuture<List<JobStatus>> stored =
                    change.isRestored() ? readStored(ref, change.before()) : stored(ref, change.before());
            return stored.thenCombine(status(ref, change.after()), (were, is) -> {
                were.forEach(status -> count(status, -1));
                Optional<byte[]> key =
                        is.map(status -> StatusRow.key(ref, status, Objects.requireNonNull(change.after())));
                clear(ref, change.before(), key);
                is.ifPresent(status -> count(status, 1));
                key.ifPresent(kept -> tx.set(kept, StatusRow.value(Objects.requireNonNull(change.after()))));
                return change;
            });
        }

        /** Clears the rows that a job may have had, but for one. */
        private void clear(JobRef ref, @Nullable JobRow before, Optional<byte[]> kept) {
            for (JobStatus status : StatusRow.possible(before)) {
                byte[] key = StatusRow.key(ref, status, Objects.requireNonNull(before));
                if (kept.filter(other -> Arrays.equals(other, key)).isEmpty()) {
                    clear(key);
                }
            }
        }

        private void clear(byte[] key) {
            tx.clear(key, StatusRow.behind(key));
        }

        private synchronized void count(JobStatus status, int change) {
            counted[StatusRow.number(status)] += change;
        }

        /** {@return the status under which a job has a row, if it has one} */
        private CompletableFuture<List<JobStatus>> stored(JobRef ref, @Nullable JobRow row) {
            List<JobStatus> possible = StatusRow.possible(row);
            if (state == StatusIndex.State.COMPLETE && possible.size() < 2) {
                return CompletableFuture.completedFuture(possible);
            }
            return readStored(ref, row);
        }

        private CompletableFuture<List<JobStatus>> readStored(JobRef ref, @Nullable JobRow row) {
            if (row == null) {
                return CompletableFuture.completedFuture(List.of());
            }
            List<JobStatus> possible = StatusRow.possible(row);
            List<CompletableFuture<Boolean>> found = possible.stream()
                    .map(status -> tx.get(StatusRow.key(ref, status, row)).thenApply(Objects::nonNull))
                    .toList();
            return Futures.allOf(found).thenApply(done -> {
                List<JobStatus> stored = new ArrayList<>(1);
                for (int i = 0; i < possible.size(); i++) {
                    if (found.get(i).join()) {
                        stored.add(possible.get(i));
                    }
                }
                return stored;
            });
        }

        /** {@return the status of a job, if it is there} */
        private CompletableFuture<Optional<JobStatus>> status(JobRef ref, @Nullable JobRow row) {
            if (row == null) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return LimitedJob.isDue(row)
                    ? dueStatus(LimitedJob.of(ref, row)).thenApply(Optional::of)
                    : CompletableFuture.completedFuture(Optional.of(StatusRow.status(row)));
        }

        private CompletableFuture<JobStatus> dueStatus(LimitedJob job) {
            return SlotTable.isWaiting(tx, job)
                    .thenApply(isWaiting -> isWaiting ? JobStatus.LIMITED : JobStatus.WAITING);
        }

        /** Moves the row of a job that got a slot, or lost it. */
        private CompletableFuture<?> place(LimitedJob job) {
            return dueStatus(job).thenCompose(status -> {
                JobStatus was = status == JobStatus.LIMITED ? JobStatus.WAITING : JobStatus.LIMITED;
                byte[] old = StatusRow.key(job.ref(), was, job.since());
                return tx.get(old).thenAccept(value -> {
                    if (value != null) {
                        count(was, -1);
                        count(status, 1);
                        clear(old);
                        tx.set(StatusRow.key(job.ref(), status, job.since()), value);
                    }
                });
            });
        }

        private CompletableFuture<@Nullable Void> add(Map<String, JobRow> jobs) {
            List<CompletableFuture<?>> added = new ArrayList<>(jobs.size());
            jobs.forEach((id, row) -> {
                JobRef ref = new JobRef(keys, id);
                added.add(stored(ref, row).thenCombine(status(ref, row), (stored, found) -> {
                    found.filter(status -> stored.isEmpty()).ifPresent(status -> {
                        count(status, 1);
                        tx.set(StatusRow.key(ref, status, row), StatusRow.value(row));
                    });
                    return ref;
                }));
            });
            return Futures.allOf(added).thenAccept(done -> StatusIndex.count(tx, keys, counted));
        }
    }
}
