package dev.couchjobs.internal.sequences;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.rows.JobRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the jobs of a sequence in order: one of them is current, and the others are held back. The transaction that
 * ends the current job makes the next one current.
 */
public final class SequenceOrder implements Settler {
    /** The number of places behind the current job to read at first, and at most. */
    private static final int PAGE = 20;

    private static final int PAGE_MAX = 1_000;

    /** Settles which jobs are current. */
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> saved, FollowUp followUp) {
        List<SequenceChange> changes = new ArrayList<>(0);
        for (SavedChange change : saved) {
            SequenceChange.of(change).filter(SequenceChange::isAny).ifPresent(changes::add);
        }
        if (changes.isEmpty()) {
            return NOTHING;
        }
        Map<SequenceKey, List<SequenceChange>> byKey = new LinkedHashMap<>();
        for (SequenceChange change : changes) {
            change.left().ifPresent(key -> add(byKey, key, change));
            change.joined()
                    .ifPresent(place -> add(byKey, new SequenceKey(change.ref().keys(), place.name()), change));
        }
        List<CompletableFuture<?>> settled = new ArrayList<>();
        byKey.forEach((key, ofKey) -> {
            if (ofKey.stream().anyMatch(change -> change.left().isPresent())) {
                SequenceRow.prefetchWaiters(tx, key, PAGE);
            }
            settled.add(JobStore.of(tx).inOrder(List.of(key.row()), () -> new Settlement(tx, key).apply(ofKey)));
        });
        return Futures.allOf(settled);
    }

    private static void add(Map<SequenceKey, List<SequenceChange>> byKey, SequenceKey key, SequenceChange change) {
        byKey.computeIfAbsent(key, unused -> new ArrayList<>()).add(change);
    }

    /** What happens to one sequence in one transaction. Each step returns the row of the sequence after it. */
    private record Settlement(Transaction tx, SequenceKey key) {
        CompletableFuture<Optional<SequenceRow>> apply(List<SequenceChange> changes) {
            CompletableFuture<Optional<SequenceRow>> row = SequenceRow.read(tx, key);
            for (SequenceChange change : changes) {
                row = row.thenCompose(before -> apply(change, before));
            }
            boolean isAnyAdded =
                    changes.stream().anyMatch(change -> change.joined().isPresent());
            return isAnyAdded ? row.thenCompose(this::passIfCurrentIsGone) : row;
        }

        private CompletableFuture<Optional<SequenceRow>> apply(SequenceChange change, Optional<SequenceRow> row) {
            if (change.left().filter(key::equals).isPresent()) {
                return row.isPresent() && row.get().wasCurrent(change) ? pass(row.get(), PAGE) : done(row);
            }
            JobRef ref = change.ref();
            SequencePlace place = change.joined().orElseThrow();
            return JobTable.find(tx, ref).thenCompose(job -> {
                if (job.filter(found -> isAt(found, place.token())).isEmpty()) {
                    return done(row); // a later change of this transaction has removed it
                }
                if (row.isEmpty()) {
                    return letGo(SequenceRow.begin(tx, key, ref), ref, place.token());
                }
                return row.get().isCurrent(ref)
                        ? letGo(row.get(), ref, place.token())
                        : done(Optional.of(row.get().append(tx, key, ref, place)));
            });
        }

        /** {@return whether a job is in the sequence with a token} */
        private boolean isAt(JobRow job, long token) {
            SequencePlace place = SequencePlace.of(job);
            return place != null && place.token() == token && place.name().equals(key.name());
        }

        /** A current job whose row was damaged never ends. */
        private CompletableFuture<Optional<SequenceRow>> passIfCurrentIsGone(Optional<SequenceRow> row) {
            Optional<JobRef> current = row.flatMap(found -> found.currentOf(key));
            if (current.isEmpty()) {
                return done(row);
            }
            return JobTable.find(tx.snapshot(), current.get())
                    .thenCompose(job ->
                            job.filter(this::isInSequence).isPresent() ? done(row) : pass(row.orElseThrow(), PAGE));
        }

        private boolean isInSequence(JobRow job) {
            SequencePlace place = SequencePlace.of(job);
            return place != null && place.name().equals(key.name());
        }

        /** Makes the next job that still waits the current one. */
        private CompletableFuture<Optional<SequenceRow>> pass(SequenceRow row, int page) {
            return row.waiters(tx, key, page).thenCompose(waiters -> {
                if (waiters.isEmpty()) {
                    row.end(tx, key);
                    return done(Optional.empty());
                }
                List<CompletableFuture<Optional<JobRow>>> jobs = waiters.stream()
                        .map(waiter -> JobTable.find(tx.snapshot(), waiter.ref()))
                        .toList();
                return Futures.allOf(jobs).thenCompose(read -> passToFirst(row, waiters, jobs, page));
            });
        }

        private CompletableFuture<Optional<SequenceRow>> passToFirst(
                SequenceRow row,
                List<SequenceRow.Waiter> waiters,
                List<CompletableFuture<Optional<JobRow>>> jobs,
                int page) {
            for (int i = 0; i < waiters.size(); i++) {
                SequenceRow.Waiter waiter = waiters.get(i);
                if (jobs.get(i).join().filter(job -> isAt(job, waiter.token())).isPresent()) {
                    return letGo(row.passTo(tx, key, waiter), waiter.ref(), waiter.token());
                }
            }
            SequenceRow rest = row.behind(tx, key, waiters.get(waiters.size() - 1));
            return pass(rest, Math.min(PAGE_MAX, 4 * page));
        }

        /** Lets a job run that has become current, unless it has left meanwhile: then its change follows. */
        private CompletableFuture<Optional<SequenceRow>> letGo(SequenceRow row, JobRef ref, long token) {
            JobStore jobs = JobStore.of(tx);
            return jobs.edit(ref, found -> {
                found.filter(job -> isAt(job, token)).ifPresent(job -> jobs.save(ref, job, job.held(false)));
                return done(Optional.of(row));
            });
        }

        private static CompletableFuture<Optional<SequenceRow>> done(Optional<SequenceRow> row) {
            return CompletableFuture.completedFuture(row);
        }
    }
}
