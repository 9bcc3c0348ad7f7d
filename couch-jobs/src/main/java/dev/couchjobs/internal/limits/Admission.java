package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.Environment;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.types.TypeInUse;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Admits jobs with limit keys: lets them into the queue from which processes claim. A job needs a slot of its limit key
 * for that. A job that is added, or has become due, waits, and {@linkplain SlotRequest requests} a slot, which the next
 * claim gives it if one is free: so additions do not conflict. The transaction that ends a job passes its slot to the
 * next job that waits. The number of taken slots is always that of the admitted and running jobs, and no process
 * watches over it.
 */
public final class Admission implements Settler {
    /** The maximum number of jobs that a transaction admits beyond the slots that it frees. */
    private static final int EXTRA_MAX = 100;
    /** The maximum number of jobs to skip after a conflict, as a multiple of the jobs to admit. */
    private static final int SKIP_MAX = 16;

    private static final int CURSORS_MAX = 1_000;

    private final InstantSource clock;
    private final RandomGenerator random;
    private final Cache<LimitKey, LimitedQueueCursor> cursors = Caffeine.newBuilder()
            .maximumSize(CURSORS_MAX)
            .executor(Runnable::run)
            .build();

    public Admission(Environment environment) {
        this.clock = environment.clock();
        this.random = environment.random();
    }

    private record LimitKey(TypeKeys type, String name) {}

    private enum Kind {
        /** The job ran, and may not run again at once. */
        FREES_SLOT,
        /** The job was due, and no longer is. */
        LEAVES_QUEUE,
        /** The job is due. */
        NEEDS_SLOT
    }

    private record SlotChange(LimitedJob job, Kind kind) {}

    /**
     * Settles the slots of jobs. A job that is due waits in the limited queue of its key, or is admitted: it has a
     * slot, and is in the queue from which processes claim. It keeps the slot while it runs, and if it may run again at
     * once. A running job keeps its limit key.
     */
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp) {
        Map<LimitKey, List<SlotChange>> byKey = new LinkedHashMap<>(0);
        for (SavedChange change : changes) {
            if (isLimited(change.before()) || isLimited(change.after())) {
                addChanges(byKey, change.ref(), change.before(), change.after(), change.isRestored());
            }
        }
        if (byKey.isEmpty()) {
            return NOTHING;
        }
        return inOrder(tx, byKey.keySet(), () -> settle(tx, byKey));
    }

    private static boolean isLimited(@Nullable JobRow job) {
        return job != null && job.options().limitKey() != null;
    }

    private static void addChanges(
            Map<LimitKey, List<SlotChange>> byKey,
            JobRef ref,
            @Nullable JobRow before,
            @Nullable JobRow after,
            boolean isRestored) {
        Optional<LimitedJob> was = due(ref, before);
        Optional<LimitedJob> is = due(ref, after);
        if (was.isPresent() && was.equals(is) && !isRestored) {
            return;
        }
        boolean ran = before != null && LimitedJob.isRunning(before);
        boolean runs = after != null && LimitedJob.isRunning(after);
        if (before != null && ran && !runs && is.isEmpty()) {
            add(byKey, LimitedJob.of(ref, before), Kind.FREES_SLOT);
        }
        if (!runs) {
            was.ifPresent(job -> add(byKey, job, Kind.LEAVES_QUEUE));
        }
        if (!ran) {
            is.ifPresent(job -> add(byKey, job, Kind.NEEDS_SLOT));
        }
    }

    private static Optional<LimitedJob> due(JobRef ref, @Nullable JobRow job) {
        return job != null && LimitedJob.isDue(job) ? Optional.of(LimitedJob.of(ref, job)) : Optional.empty();
    }

    private static void add(Map<LimitKey, List<SlotChange>> byKey, LimitedJob job, Kind kind) {
        byKey.computeIfAbsent(new LimitKey(job.ref().keys(), job.limitKey()), key -> new ArrayList<>())
                .add(new SlotChange(job, kind));
    }

    /** A job may leave the queue under one key, and need a slot of another: all leave before any is admitted. */
    private CompletableFuture<Void> settle(Transaction tx, Map<LimitKey, List<SlotChange>> byKey) {
        List<Settlement> settlements = new ArrayList<>();
        List<CompletableFuture<?>> applied = new ArrayList<>();
        byKey.forEach((key, ofKey) -> {
            Settlement settlement = new Settlement(tx, key);
            settlements.add(settlement);
            applied.add(settlement.apply(ofKey));
        });
        return Futures.allOf(applied)
                .thenCompose(done -> Futures.allOf(
                        settlements.stream().map(Settlement::fillFreedSlots).toList()));
    }

    /**
     * Admits as many jobs as there are tokens for, if jobs of a limit key wait for tokens of its rate. The others wait
     * for the next token, or for slots. The caller claims the
     * jobs, or wakes processes that do.
     */
    CompletableFuture<Answer> admitForTokens(Transaction tx, TypeKeys type, TokenWaits wait) {
        LimitKey key = new LimitKey(type, wait.limitKey());
        return inOrder(tx, List.of(key), () -> new Settlement(tx, key).fillForTokens(wait));
    }

    /**
     * Gives free slots of a limit key to jobs that wait for them. The caller claims the
     * jobs, or wakes processes that do.
     *
     * @param most the most jobs that get one
     */
    CompletableFuture<Answer> answer(Transaction tx, TypeKeys type, SlotRequest request, int most) {
        LimitKey key = new LimitKey(type, request.limitKey());
        return inOrder(tx, List.of(key), () -> new Settlement(tx, key).answer(request, most));
    }

    /**
     * What an answer to a request, or to the end of a wait for tokens, has done.
     *
     * @param admitted how many jobs are in the queue now
     * @param hasTurnKeys whether some of them have turn keys
     * @param leavesMore whether others could be admitted
     */
    record Answer(int admitted, boolean hasTurnKeys, boolean leavesMore) {
        private static final Answer NONE = new Answer(0, false, false);

        private static Answer of(List<LimitedJob> admitted, boolean leavesMore) {
            boolean hasTurnKeys = admitted.stream().anyMatch(job -> job.turnKey() != null);
            return new Answer(admitted.size(), hasTurnKeys, leavesMore);
        }
    }

    private static <T extends @Nullable Object> CompletableFuture<T> inOrder(
            Transaction tx, Collection<LimitKey> keys, Supplier<CompletableFuture<T>> step) {
        List<byte[]> slots = keys.stream()
                .map(key -> LimitKeys.of(key.type()).slots().pack(key.name()))
                .toList();
        return JobStore.of(tx).inOrder(slots, step);
    }

    /** Chooses jobs that wait. */
    private interface Choice {
        /**
         * {@return jobs in the order of the limited queue, without a gap; all that wait if they are fewer than wanted}
         *
         * @param wanted how many
         * @param max the limit of the key
         */
        CompletableFuture<List<LimitedJob>> waiting(int wanted, int max);
    }

    /** What happens to the slots of one limit key in one transaction. */
    private final class Settlement {
        private final Transaction tx;
        private final TypeKeys type;
        private final String limitKey;
        /** The jobs of this transaction that have begun to wait. */
        private final Map<JobRef, LimitedJob> waiting = new LinkedHashMap<>();

        private @Nullable CompletableFuture<KeySlots> slots;
        private @Nullable CompletableFuture<KeyLimit> limit;
        private int freed;

        Settlement(Transaction tx, LimitKey key) {
            this.tx = tx;
            this.type = key.type();
            this.limitKey = key.name();
        }

        /** {@return the slots as the first call has read them} */
        private CompletableFuture<KeySlots> slots() {
            if (slots == null) {
                slots = SlotTable.slotsAsOfRead(tx, type, limitKey);
            }
            return slots;
        }

        private CompletableFuture<KeyLimit> limit() {
            if (limit == null) {
                limit = SlotTable.limit(tx, type, limitKey);
            }
            return limit;
        }

        CompletableFuture<?> apply(List<SlotChange> changes) {
            var unused = TypeInUse.prefetch(tx, type);
            if (changes.stream().anyMatch(change -> change.kind() != Kind.NEEDS_SLOT)) {
                var unusedSlots = slots(); // in parallel with the reads that say whether one is free
                var unusedLimit = limit();
            }
            CompletableFuture<?> done = Futures.allOf(changes.stream()
                    .filter(change -> change.kind() == Kind.LEAVES_QUEUE)
                    .map(change -> isAdmitted(tx.snapshot(), change.job())) // later reads need no round trip
                    .toList());
            for (SlotChange change : changes) {
                done = done.thenCompose(before -> apply(change));
            }
            return done;
        }

        private CompletableFuture<?> apply(SlotChange change) {
            LimitedJob job = change.job();
            switch (change.kind()) {
                case FREES_SLOT -> freed++;
                case NEEDS_SLOT -> {
                    if (job.isWritten(tx)) { // a later change may have been settled before
                        job.enterLimitedQueue(tx);
                        waiting.put(job.ref(), job);
                    }
                }
                case LEAVES_QUEUE -> {
                    if (waiting.remove(job.ref(), job)) {
                        job.leaveLimitedQueue(tx);
                    } else {
                        return isAdmitted(tx, job).thenAccept(isAdmitted -> leave(job, isAdmitted));
                    }
                }
            }
            return CompletableFuture.completedFuture(change);
        }

        /** {@return whether a job has a slot; a job whose row in the limited queue was damaged has none} */
        private CompletableFuture<Boolean> isAdmitted(ReadTransaction view, LimitedJob job) {
            return SlotTable.isWaiting(view, job)
                    .thenCombine(SlotTable.isQueued(view, job), (isWaiting, isQueued) -> !isWaiting && isQueued);
        }

        private void leave(LimitedJob job, boolean isAdmitted) {
            job.leaveLimitedQueue(tx);
            if (!isAdmitted) {
                return;
            }
            freed++;
            if (!job.isQueuedWithoutLimitKey(tx)) { // that row has the same key
                job.leaveQueue(tx);
            }
        }

        /** Passes on the slots that this transaction frees, and requests slots for its jobs that still wait. */
        CompletableFuture<?> fillFreedSlots() {
            CompletableFuture<?> filled = freed == 0 ? CompletableFuture.completedFuture(waiting) : passOn();
            return filled.thenAccept(done -> {
                if (!waiting.isEmpty()) {
                    SlotRequest.write(tx, type, limitKey);
                }
            });
        }

        private CompletableFuture<?> passOn() {
            if (JobStore.isRetry(tx)) {
                return fill(freed + EXTRA_MAX, this::afterSkipped);
            }
            Optional<LimitedJob> position = cursor().begin(clock.instant());
            CompletableFuture<List<LimitedJob>> first = read(position, freed); // in parallel with the limit
            return fill(
                    freed + EXTRA_MAX,
                    (wanted, max) -> first.thenCompose(jobs -> position.isPresent()
                            ? unlessHeadComesFirst(jobs, wanted, max)
                            : jobs.size() == freed && wanted > freed
                                    ? read(Optional.empty(), wanted)
                                    : CompletableFuture.completedFuture(jobs)));
        }

        /**
         * Answers a request for slots.
         *
         * @param most the most jobs to admit
         * @return what it has done
         */
        CompletableFuture<Answer> answer(SlotRequest request, int most) {
            SlotTable.conflictWithTaken(tx, type, limitKey);
            return slots().thenCompose(before -> limit().thenCompose(of -> {
                if (of.isPaused()) {
                    request.dismiss(tx);
                    return CompletableFuture.completedFuture(Answer.NONE);
                }
                Rate rate = of.rate();
                if (rate != null) {
                    request.dismiss(tx); // the others wait for tokens
                    return fillByRate(before, of.slots(), rate, most);
                }
                int free = (int) Math.max(0, of.slots() - before.taken());
                if (free == 0) {
                    request.dismiss(tx);
                    return CompletableFuture.completedFuture(Answer.NONE);
                }
                int wanted = Math.min(free, most);
                return read(Optional.empty(), wanted).thenApply(first -> {
                    if (first.size() < wanted || wanted == free) {
                        request.clear(tx);
                    }
                    admit(first);
                    SlotTable.setSlots(tx, type, limitKey, before, before.withTaken(before.taken() + first.size()));
                    return Answer.of(first, first.size() == wanted && wanted < free);
                });
            }));
        }

        private void admit(List<LimitedJob> first) {
            if (!first.isEmpty()) {
                SlotTable.admitWaiting(tx, first);
                first.forEach(job -> waiting.remove(job.ref()));
            }
        }

        /** Admits jobs that wait for tokens. */
        CompletableFuture<Answer> fillForTokens(TokenWaits wait) {
            SlotTable.conflictWithTaken(tx, type, limitKey);
            return slots().thenCompose(before -> limit().thenCompose(of -> {
                if (before.tokensAt().isEmpty() || before.tokensAt().getAsLong() != wait.version()) {
                    wait.clear(tx, type);
                }
                if (of.isPaused()) {
                    SlotTable.setSlots(tx, type, limitKey, before, before.notWaiting());
                    return CompletableFuture.completedFuture(Answer.NONE);
                }
                Rate rate = of.rate();
                return rate == null
                        ? fillForTokens(before, of.slots(), Integer.MAX_VALUE, wait.version(), EXTRA_MAX)
                        : fillByRate(before, of.slots(), rate, EXTRA_MAX);
            }));
        }

        private CompletableFuture<Answer> fillByRate(KeySlots before, int max, Rate rate, int most) {
            return RateMeter.readOfKey(tx, type, limitKey, rate)
                    .thenCompose(meter -> fillForTokens(before, max, meter.available(), meter.versionOfNext(), most));
        }

        /**
         * @param tokens how many jobs may start now
         * @param nextToken the version from which one more may start after them
         */
        private CompletableFuture<Answer> fillForTokens(
                KeySlots before, int max, int tokens, long nextToken, int most) {
            int free = (int) Math.max(0, max - before.taken());
            int wanted = Math.min(Math.min(free, tokens), most);
            CompletableFuture<List<LimitedJob>> chosen =
                    wanted == 0 ? CompletableFuture.completedFuture(List.of()) : read(Optional.empty(), wanted);
            return chosen.thenCombine(tx.getReadVersion(), (first, version) -> {
                int admitted = first.size();
                KeySlots after = before.withTaken(before.taken() + admitted);
                admit(first);
                boolean waitsForTokens = admitted == wanted && admitted < free;
                if (!waitsForTokens) {
                    SlotRequest.conflictWithDismissal(tx, type, limitKey);
                }
                long until = admitted == tokens ? nextToken : version;
                SlotTable.setSlots(
                        tx, type, limitKey, before, waitsForTokens ? after.waitingUntil(until) : after.notWaiting());
                return Answer.of(first, waitsForTokens && admitted < tokens);
            });
        }

        private LimitedQueueCursor cursor() {
            return cursors.get(new LimitKey(type, limitKey), unused -> new LimitedQueueCursor());
        }

        private CompletableFuture<List<LimitedJob>> read(Optional<LimitedJob> behind, int wanted) {
            return SlotTable.waiting(tx, type, limitKey, behind, wanted);
        }

        /** Skips jobs after a conflict, no more than may run at the same time. */
        private CompletableFuture<List<LimitedJob>> afterSkipped(int wanted, int max) {
            int skipped = Math.min(max - 1, wanted * (1 + random.nextInt(SKIP_MAX)));
            return skipped == 0
                    ? read(Optional.empty(), wanted)
                    : SlotTable.waitingAfter(tx, type, limitKey, cursor().begin(clock.instant()), skipped, wanted)
                            .thenCompose(jobs -> unlessHeadComesFirst(jobs, wanted, max));
        }

        /** {@return jobs from behind the head, or from the head if those are too few or have a lower priority} */
        private CompletableFuture<List<LimitedJob>> unlessHeadComesFirst(List<LimitedJob> jobs, int wanted, int max) {
            if (jobs.size() < wanted || max == 1) {
                return fromHead(wanted);
            }
            return read(Optional.empty(), 1).thenCompose(head -> {
                if (head.stream()
                        .anyMatch(first -> first.priority() != jobs.get(0).priority())) {
                    return fromHead(wanted);
                }
                cursor().moveBehind(jobs.get(wanted - 1));
                return CompletableFuture.completedFuture(jobs);
            });
        }

        private CompletableFuture<List<LimitedJob>> fromHead(int wanted) {
            cursor().returnToHead();
            return read(Optional.empty(), wanted);
        }

        /**
         * Admits jobs for the slots that this transaction frees, and for others that are free.
         *
         * @param most how many of the jobs that wait may be admitted
         */
        private CompletableFuture<?> fill(int most, Choice choice) {
            SlotTable.conflictWithTaken(tx, type, limitKey);
            return slots().thenCompose(before -> limit().thenCompose(of -> {
                int max = of.slots(before);
                long taken = before.taken() - freed;
                int free = (int) Math.min(Integer.MAX_VALUE, Math.max(0, max - taken));
                int wanted = Math.min(free, most);
                CompletableFuture<List<LimitedJob>> chosen =
                        wanted == 0 ? CompletableFuture.completedFuture(List.of()) : choice.waiting(wanted, max);
                return chosen.thenAccept(first -> {
                    admit(first);
                    if (!first.isEmpty()) {
                        SlotTable.wakeProcessors(tx, type);
                    }
                    if (first.size() < free) {
                        SlotRequest.conflictWithDismissal(tx, type, limitKey);
                    }
                    if (first.size() != freed) {
                        SlotTable.setSlots(tx, type, limitKey, before, before.withTaken(taken + first.size()));
                    }
                });
            }));
        }
    }
}
