package dev.couchjobs.internal.sequences;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.SequenceChange;
import dev.couchjobs.internal.data.SequenceKey;
import dev.couchjobs.internal.data.SequencePlace;
import dev.couchjobs.internal.data.SequenceRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the jobs of a sequence in order: one of them is current, and the others are held back. The transaction that
 * ends the current job makes the next one current.
 */
public final class SequenceOrder {
    /** The number of jobs behind the current one to read at a time. */
    private static final int PAGE = 20;

    private SequenceOrder() {}

    /** Settles which jobs are current, after the changes of this transaction since the last call. */
    public static CompletableFuture<@Nullable Void> settle(Transaction tx) {
        List<SequenceChange> changes = JobTransaction.takeSequenceChanges(tx);
        if (changes.isEmpty()) {
            return CompletableFuture.completedFuture(null);
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
            settled.add(JobTransaction.of(tx).inOrder(List.of(key.row()), () -> new Settlement(tx, key).apply(ofKey)));
        });
        return CompletableFuture.allOf(settled.toArray(CompletableFuture<?>[]::new));
    }

    private static void add(Map<SequenceKey, List<SequenceChange>> byKey, SequenceKey key, SequenceChange change) {
        byKey.computeIfAbsent(key, unused -> new ArrayList<>()).add(change);
    }

    /** What happens to one sequence in one transaction. */
    private record Settlement(Transaction tx, SequenceKey key) {
        CompletableFuture<Object> apply(List<SequenceChange> changes) {
            CompletableFuture<Object> done = CompletableFuture.completedFuture(changes);
            for (SequenceChange change : changes) {
                done = done.thenCompose(before -> SequenceRow.read(tx, key)).thenCompose(row -> apply(change, row));
            }
            return done;
        }

        private CompletableFuture<Object> apply(SequenceChange change, Optional<SequenceRow> row) {
            JobRef ref = change.ref();
            boolean isCurrent =
                    row.filter(found -> found.current().equals(ref.id())).isPresent();
            if (change.left().filter(key::equals).isPresent()) {
                return isCurrent ? pass(row.orElseThrow()) : done();
            }
            SequencePlace place = change.joined().orElseThrow();
            return JobTable.find(tx, ref).thenCompose(job -> {
                if (job.filter(found -> hasPlace(found, place)).isEmpty()) {
                    return done(); // a later change of this transaction has removed it
                }
                if (row.isEmpty()) {
                    SequenceRow.of(ref.id()).write(tx, key);
                }
                if (row.isEmpty() || isCurrent) {
                    return letGo(ref);
                }
                row.get().append(tx, key, ref, place);
                return passIfCurrentIsGone();
            });
        }

        private boolean hasPlace(JobRow job, SequencePlace place) {
            SequencePlace own = SequenceChange.place(job);
            return own != null && own.token() == place.token() && own.name().equals(key.name());
        }

        /** A current job whose row was damaged never ends. */
        private CompletableFuture<Object> passIfCurrentIsGone() {
            return SequenceRow.read(tx, key).thenCompose(read -> {
                SequenceRow row = read.orElseThrow();
                JobRef current = new JobRef(key.type(), row.current());
                return JobTable.find(tx.snapshot(), current)
                        .thenCompose(
                                job -> job.filter(found -> isInSequence(found)).isPresent() ? done() : pass(row));
            });
        }

        private boolean isInSequence(JobRow job) {
            SequencePlace place = SequenceChange.place(job);
            return place != null && place.name().equals(key.name());
        }

        /** Makes the next job that still waits the current one. */
        private CompletableFuture<Object> pass(SequenceRow row) {
            return row.waiters(tx, key, PAGE).thenCompose(waiters -> {
                if (waiters.isEmpty()) {
                    row.end(tx, key);
                    return done();
                }
                List<CompletableFuture<Optional<JobRow>>> jobs = waiters.stream()
                        .map(waiter -> JobTable.find(tx.snapshot(), waiter.ref()))
                        .toList();
                return CompletableFuture.allOf(jobs.toArray(CompletableFuture<?>[]::new))
                        .thenCompose(read -> {
                            for (int i = 0; i < jobs.size(); i++) {
                                SequenceRow.Waiter waiter = waiters.get(i);
                                if (jobs.get(i)
                                        .join()
                                        .filter(job -> waiter.isHeldBy(job, key))
                                        .isPresent()) {
                                    row.passTo(tx, key, waiter);
                                    return letGo(waiter.ref());
                                }
                            }
                            return pass(row.behind(tx, key, waiters.get(waiters.size() - 1)));
                        });
            });
        }

        /** Lets a job run that has become current; the edit conflicts with changes of the job. */
        private CompletableFuture<Object> letGo(JobRef ref) {
            JobTransaction jobs = JobTransaction.of(tx);
            return jobs.edit(ref, found -> {
                found.ifPresent(job -> jobs.save(ref, job, job.held(false)));
                return done();
            });
        }

        private static CompletableFuture<Object> done() {
            return CompletableFuture.completedFuture(Function.identity());
        }
    }
}
