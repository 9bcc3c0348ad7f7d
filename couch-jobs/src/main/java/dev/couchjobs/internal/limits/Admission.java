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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
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
 * for that. The transaction that ends a job passes its slot to the next job that waits, so the number of taken slots is
 * always that of the admitted and running jobs, and no process watches over it.
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

    private record SlotRequest(LimitedJob job, Kind kind) {}

    /**
     * Settles the slots of jobs. A job that is due waits in the limited queue of its key, or is admitted: it has a
     * slot, and is in the queue from which processes claim. It keeps the slot while it runs, and if it may run again at
     * once. A running job keeps its limit key.
     */
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp) {
        Map<LimitKey, List<SlotRequest>> requests = new LinkedHashMap<>(0);
        for (SavedChange change : changes) {
            if (isLimited(change.before()) || isLimited(change.after())) {
                addRequests(requests, change.ref(), change.before(), change.after(), change.isRestored());
            }
        }
        if (requests.isEmpty()) {
            return NOTHING;
        }
        return inOrder(tx, requests.keySet(), () -> settle(tx, requests));
    }

    private static boolean isLimited(@Nullable JobRow job) {
        return job != null && job.options().limitKey() != null;
    }

    private static void addRequests(
            Map<LimitKey, List<SlotRequest>> requests,
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
            add(requests, LimitedJob.of(ref, before), Kind.FREES_SLOT);
        }
        if (!runs) {
            was.ifPresent(job -> add(requests, job, Kind.LEAVES_QUEUE));
        }
        if (!ran) {
            is.ifPresent(job -> add(requests, job, Kind.NEEDS_SLOT));
        }
    }

    private static Optional<LimitedJob> due(JobRef ref, @Nullable JobRow job) {
        return job != null && LimitedJob.isDue(job) ? Optional.of(LimitedJob.of(ref, job)) : Optional.empty();
    }

    private static void add(Map<LimitKey, List<SlotRequest>> requests, LimitedJob job, Kind kind) {
        requests.computeIfAbsent(new LimitKey(job.ref().keys(), job.limitKey()), key -> new ArrayList<>())
                .add(new SlotRequest(job, kind));
    }

    /** A job may leave the queue under one key, and need a slot of another: all leave before any is admitted. */
    private CompletableFuture<Void> settle(Transaction tx, Map<LimitKey, List<SlotRequest>> requests) {
        List<Settlement> settlements = new ArrayList<>();
        List<CompletableFuture<?>> applied = new ArrayList<>();
        requests.forEach((key, ofKey) -> {
            Settlement settlement = new Settlement(tx, key);
            settlements.add(settlement);
            applied.add(settlement.apply(ofKey));
        });
        return Futures.allOf(applied)
                .thenCompose(done -> Futures.allOf(
                        settlements.stream().map(Settlement::fillFreedSlots).toList()));
    }

    /**
     * Admits jobs that wait although there are free slots, because the limit was raised.
     *
     * @return whether there may be more
     */
    public CompletableFuture<Boolean> admitWaiting(Transaction tx, TypeKeys type, String limitKey) {
        LimitKey key = new LimitKey(type, limitKey);
        return inOrder(tx, List.of(key), () -> new Settlement(tx, key).fillFreeSlots());
    }

    /**
     * Admits as many jobs as there are tokens for, if jobs of a limit key wait for tokens of its rate. The others wait
     * for the next token, or for slots.
     */
    public CompletableFuture<Void> admitForTokens(Transaction tx, TypeKeys type, TokenWaits wait) {
        LimitKey key = new LimitKey(type, wait.limitKey());
        return inOrder(tx, List.of(key), () -> new Settlement(tx, key).fillForTokens(wait));
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
        private final CompletableFuture<KeySlots> slots;
        private final CompletableFuture<KeyLimit> limit;
        /** The jobs of this transaction that need a slot. */
        private final Map<JobRef, LimitedJob> added = new LinkedHashMap<>();

        private int freed;

        Settlement(Transaction tx, LimitKey key) {
            this.tx = tx;
            this.type = key.type();
            this.limitKey = key.name();
            var unused = TypeInUse.prefetch(tx, type);
            this.slots = SlotTable.slotsAsOfRead(tx, type, limitKey);
            this.limit = SlotTable.limit(tx, type, limitKey);
        }

        CompletableFuture<?> apply(List<SlotRequest> requests) {
            CompletableFuture<?> done = Futures.allOf(requests.stream()
                    .filter(request -> request.kind() == Kind.LEAVES_QUEUE)
                    .map(request -> isAdmitted(tx.snapshot(), request.job())) // later reads need no round trip
                    .toList());
            for (SlotRequest request : requests) {
                done = done.thenCompose(before -> apply(request));
            }
            return done;
        }

        private CompletableFuture<?> apply(SlotRequest request) {
            LimitedJob job = request.job();
            switch (request.kind()) {
                case FREES_SLOT -> freed++;
                case NEEDS_SLOT -> {
                    if (job.isWritten(tx)) { // a later change may have been settled before
                        added.put(job.ref(), job);
                    }
                }
                case LEAVES_QUEUE -> {
                    if (added.remove(job.ref()) == null) {
                        return isAdmitted(tx, job).thenAccept(isAdmitted -> leave(job, isAdmitted));
                    }
                }
            }
            return CompletableFuture.completedFuture(request);
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

        /** Admits jobs for the slots that this transaction frees, and those that it adds for other free slots. */
        CompletableFuture<Boolean> fillFreedSlots() {
            if (freed == 0) {
                return fill(0, (wanted, max) -> CompletableFuture.completedFuture(List.of()));
            }
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
         * Admits jobs that wait although there are free slots. Those of a key with a rate are admitted by the next
         * claim, as many as there are tokens for.
         *
         * @return whether there may be more
         */
        CompletableFuture<Boolean> fillFreeSlots() {
            return limit.thenCompose(of -> of.rate() != null && !of.isPaused()
                    ? waitForTokens().thenApply(done -> false)
                    : fill(EXTRA_MAX, (wanted, max) -> read(Optional.empty(), wanted)));
        }

        private CompletableFuture<?> waitForTokens() {
            SlotTable.conflictWithTaken(tx, type, limitKey);
            return slots.thenCompose(before -> read(Optional.empty(), 1)
                    .thenCombine(tx.getReadVersion(), (waiting, version) -> {
                        if (waiting.isEmpty() && before.tokensAt().isEmpty()) {
                            SlotTable.conflictWithWaiting(tx, type, limitKey);
                        } else {
                            SlotTable.setSlots(tx, type, limitKey, before, before.waitingUntil(version));
                            SlotTable.wakeProcessors(tx, type);
                        }
                        return version;
                    }));
        }

        /** Admits jobs that wait for tokens. */
        CompletableFuture<Void> fillForTokens(TokenWaits wait) {
            SlotTable.conflictWithTaken(tx, type, limitKey);
            return slots.thenCompose(before -> limit.thenCompose(of -> {
                if (before.tokensAt().isEmpty() || before.tokensAt().getAsLong() != wait.version()) {
                    wait.clear(tx, type);
                }
                if (of.isPaused()) {
                    SlotTable.setSlots(tx, type, limitKey, before, before.notWaiting());
                    return CompletableFuture.completedFuture(null);
                }
                Rate rate = of.rate();
                return rate == null
                        ? fillForTokens(before, of.slots(), Integer.MAX_VALUE, wait.version())
                        : RateMeter.readOfKey(tx, type, limitKey, rate)
                                .thenCompose(meter ->
                                        fillForTokens(before, of.slots(), meter.available(), meter.versionOfNext()));
            }));
        }

        /**
         * @param tokens how many jobs may start now
         * @param nextToken the version from which one more may start after them
         */
        private CompletableFuture<Void> fillForTokens(KeySlots before, int max, int tokens, long nextToken) {
            int free = (int) Math.max(0, max - before.taken());
            int wanted = Math.min(Math.min(free, tokens), EXTRA_MAX);
            CompletableFuture<List<LimitedJob>> chosen =
                    wanted == 0 ? CompletableFuture.completedFuture(List.of()) : read(Optional.empty(), wanted);
            return chosen.thenCombine(tx.getReadVersion(), (waiting, version) -> {
                int admitted = waiting.size();
                KeySlots after = before.withTaken(before.taken() + admitted);
                if (admitted > 0) {
                    SlotTable.admitWaiting(tx, waiting);
                    SlotTable.wakeProcessors(tx, type);
                }
                if (admitted < wanted) {
                    SlotTable.conflictWithWaiting(tx, type, limitKey);
                }
                boolean waitsForTokens = admitted == wanted && admitted < free;
                long until = admitted == tokens ? nextToken : version;
                SlotTable.setSlots(
                        tx, type, limitKey, before, waitsForTokens ? after.waitingUntil(until) : after.notWaiting());
                return null;
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
         * Admits jobs for free slots.
         *
         * @param waitingMax how many of the jobs that wait may be admitted
         */
        private CompletableFuture<Boolean> fill(int waitingMax, Choice choice) {
            return slots.thenCompose(before -> limit.thenCompose(of -> {
                int max = of.slots(before);
                long taken = before.taken() - freed;
                if (max > 0 || freed > 0) { // otherwise all jobs wait, however many slots are taken
                    SlotTable.conflictWithTaken(tx, type, limitKey);
                } else if (of.waitsForTokens(before)) {
                    SlotTable.conflictWithEndOfTokenWait(tx, type, limitKey);
                }
                int free = (int) Math.min(Integer.MAX_VALUE, Math.max(0, max - taken));
                int wanted = Math.min(free, waitingMax);
                CompletableFuture<List<LimitedJob>> chosen =
                        wanted == 0 ? CompletableFuture.completedFuture(List.of()) : choice.waiting(wanted, max);
                return chosen.thenApply(waiting -> {
                    boolean isAll = waiting.size() < wanted || waitingMax == 0;
                    int admitted = admit(waiting, isAll ? free : wanted);
                    if (isAll && wanted > 0) {
                        SlotTable.conflictWithWaiting(tx, type, limitKey);
                    }
                    if (admitted > 0) {
                        SlotTable.wakeProcessors(tx, type);
                    }
                    if (admitted != freed) {
                        SlotTable.setSlots(tx, type, limitKey, before, before.withTaken(taken + admitted));
                    }
                    return !isAll && wanted > 0 && admitted == wanted;
                });
            }));
        }

        /**
         * Admits jobs that wait and jobs of this transaction, by priority and then age. The other jobs of this
         * transaction wait.
         *
         * @return how many were admitted
         */
        private int admit(List<LimitedJob> waiting, int slots) {
            Deque<LimitedJob> rest = new ArrayDeque<>(
                    added.values().stream().sorted(LimitedJob.ORDER).toList());
            int fromWaiting = 0;
            int admitted = 0;
            for (; admitted < slots && (fromWaiting < waiting.size() || !rest.isEmpty()); admitted++) {
                boolean isWaitingFirst = fromWaiting < waiting.size()
                        && (rest.isEmpty() || LimitedJob.ORDER.compare(waiting.get(fromWaiting), rest.element()) <= 0);
                if (isWaitingFirst) {
                    fromWaiting++;
                } else {
                    rest.remove().enterQueue(tx);
                }
            }
            if (fromWaiting > 0) {
                SlotTable.admitWaiting(tx, waiting.subList(0, fromWaiting));
            }
            rest.forEach(job -> job.enterLimitedQueue(tx));
            return admitted;
        }
    }
}
