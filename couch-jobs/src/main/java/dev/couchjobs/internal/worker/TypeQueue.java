package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.ClaimConsumer;
import dev.couchjobs.internal.accept.ClaimSubscription;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one type in a worker that wait for a slot, and how many of the type run.
 *
 * <p>The lock is the worker's, which all its type queues and runs share.
 *
 * @param <D> the type of the jobs' data
 */
final class TypeQueue<D> implements AutoCloseable {
    /** More jobs than any claim takes; small enough that a sum does not overflow. */
    private static final int CLAIMABLE_MAX = 1_000;

    /** Nothing is known of the queue. */
    private static final int UNKNOWN = 0;
    /** How many jobs a claim is then expected to find at most. */
    private static final int EXPECTED_IF_UNKNOWN = 16;
    /** How many jobs a claim is expected to find after a claim that took fewer jobs than it might. */
    private static final int EXPECTED_IF_DRAINED = 2;

    /** How long a suspect runs before another suspect is claimed. */
    private static final Duration SUSPECT_PROBATION = Duration.ofSeconds(1);

    private static final Disposition PUT_BACK = new Disposition.PutBack();

    private final Object lock;
    private final Environment environment;
    private final HandlerRegistration<D, ?> registration;
    private final TypeRuns<D> runs;
    private final HeartbeatSender<D> heartbeats;
    private final LossSearch<D> lossSearch;
    private final UnconfirmedStarts unconfirmed;
    private final HeldBytes heldBytes;
    private volatile @Nullable ClaimSubscription subscription;

    @GuardedBy("lock") private final Deque<JobRun<D>> waiting = new ArrayDeque<>();

    @GuardedBy("lock") private final PrefetchSizer prefetchSizer = new PrefetchSizer();

    @GuardedBy("lock") private int running;

    /** How many jobs the worker may run at once. */
    @GuardedBy("lock") private int slots;

    @GuardedBy("lock") private int ownLimit;

    /** How long jobs have waited while none began, as the starvation checks have found. */
    @GuardedBy("lock") private Duration starved = Duration.ZERO;

    /** How many jobs the current claim may take. */
    @GuardedBy("lock") private int reserved;

    /** How many jobs the next claim is expected to find, or {@link #UNKNOWN}. */
    @GuardedBy("lock") private int expected = UNKNOWN;

    /** The position in the order in which type queues wait to claim; 0 if the queue does not wait. */
    @GuardedBy("lock") private long ticket;

    /** The suspect that is claimed, until it has run for a while or its handler has returned. */
    @GuardedBy("lock") private @Nullable JobRun<D> suspect;

    /** How many jobs may be claimed that wait for a slot, by the rules of the type as of the last claim. */
    @GuardedBy("lock") private int prefetchMax = Integer.MAX_VALUE;

    @GuardedBy("lock") private boolean isOpen;

    @GuardedBy("lock") private Instant claimStartedAt = Instant.EPOCH;

    /**
     * Makes the queue of a type.
     *
     * @param lock the worker's lock
     * @param slots how many jobs the worker may run at once
     * @param heldBytes the data of all jobs that the worker holds
     * @param nextRound begins a round of heartbeats, and returns the runs whose heartbeat is due
     * @param stopLost receives the runs whose claims are lost
     */
    TypeQueue(
            Object lock,
            int slots,
            HandlerRegistration<D, ?> registration,
            TypeRuns<D> runs,
            HeldBytes heldBytes,
            Instance instance,
            BiFunction<TypeQueue<D>, Duration, List<JobRun<D>>> nextRound,
            BiConsumer<TypeQueue<D>, List<Heartbeat.Lost>> stopLost) {
        this.lock = lock;
        this.environment = instance.environment();
        this.slots = slots;
        this.registration = registration;
        this.ownLimit = registration.limit().orElse(Integer.MAX_VALUE);
        this.runs = runs;
        this.heldBytes = heldBytes;
        this.lossSearch = new LossSearch<>(runs, lost -> stopLost.accept(this, lost), instance);
        this.heartbeats = new HeartbeatSender<>(
                runs, roundTime -> nextRound.apply(this, roundTime), lossSearch::runsChanged, instance);
        this.unconfirmed = new UnconfirmedStarts(lock, environment, heartbeats::confirm);
    }

    JobType<D, ?> type() {
        return runs.type();
    }

    HandlerRegistration<D, ?> registration() {
        return registration;
    }

    TypeRuns<D> runs() {
        return runs;
    }

    /** The worker holds jobs of the type again. */
    void resumeLoops() {
        heartbeats.resume();
        lossSearch.runsChanged();
    }

    /** Ends the background loops. */
    @Override
    public void close() {
        heartbeats.close();
        lossSearch.close();
    }

    // Limits

    /** Sets how many jobs the worker may run at once, of all types together. */
    void setSlots(int newSlots) {
        synchronized (lock) {
            slots = newSlots;
        }
    }

    /** Sets how many jobs of the type may run at once, within the slots of the worker. */
    void setLimit(int newLimit) {
        synchronized (lock) {
            ownLimit = newLimit;
        }
    }

    @GuardedBy("lock") private int limit() {
        return Math.min(ownLimit, slots);
    }

    // Claiming

    ClaimSubscription subscription() {
        return Objects.requireNonNull(subscription, "not started");
    }

    /** Claims no more jobs; completes when the last claim has been delivered. */
    CompletableFuture<?> closeSubscription() {
        ClaimSubscription started = subscription;
        return started == null ? CompletableFuture.completedFuture(this) : started.close();
    }

    /** Wakes the acceptor, if the queue has started. */
    void demandChanged() {
        ClaimSubscription started = subscription;
        if (started != null) {
            started.demandChanged();
        }
    }

    void start(ClaimSubscription subscription) {
        this.subscription = subscription;
    }

    /** Allows claims. Called once the subscription exists and the queue is registered with the worker. */
    void open() {
        synchronized (lock) {
            isOpen = true;
        }
    }

    boolean isOpen() {
        synchronized (lock) {
            return isOpen;
        }
    }

    /**
     * {@return how many jobs the queue would claim} The next claim waits until half of the prefetch has begun, so that
     * a claim takes several jobs.
     *
     * @param slots how many jobs the worker may claim for its slots, including one that waits
     */
    int claimable(int slots) {
        synchronized (lock) {
            int limit = limit();
            int prefetch = Math.min(prefetchMax, prefetchSizer.size(limit));
            int startable = Math.min(CLAIMABLE_MAX, Math.min(slots, limit - running));
            return waiting.size() > prefetch / 2 ? 0 : Math.max(0, startable + prefetch - waiting.size());
        }
    }

    /**
     * {@return how many jobs the next claim is expected to find, judged by the last} A claim that reserves all
     * free slots of the worker, and finds few jobs, keeps the other types from claiming meanwhile.
     *
     * @param share how many slots there are for each type that waits for some
     */
    int expected(int share) {
        synchronized (lock) {
            return expected == UNKNOWN ? Math.min(EXPECTED_IF_UNKNOWN, share) : expected;
        }
    }

    /**
     * Begins a claim.
     *
     * @param jobs how many jobs the claim may take
     * @param isFree whether there is a free slot for each of these jobs
     * @return the demand of the claim
     */
    ClaimConsumer.Demand beginClaim(int jobs, boolean isFree, Instant now) {
        synchronized (lock) {
            claimStartedAt = now;
            reserved = jobs;
            expected = UNKNOWN; // a claim without jobs does not call claimed
            ticket = 0;
            return new ClaimConsumer.Demand(jobs, isFree, suspect == null);
        }
    }

    /**
     * Ends the reservation of the current claim.
     *
     * @return how many slots were reserved
     */
    int releaseReservation() {
        synchronized (lock) {
            int before = reserved;
            reserved = 0;
            return before;
        }
    }

    /** {@return the position in the order in which type queues wait to claim, kept until the next claim; 0 for none} */
    long ticket() {
        synchronized (lock) {
            return ticket;
        }
    }

    void setTicket(long ticket) {
        synchronized (lock) {
            this.ticket = ticket;
        }
    }

    /**
     * Adds claimed jobs to the queue.
     *
     * @param newPrefetchMax how many jobs may be claimed that wait for a slot, by the rules of the type
     * @return how long the claim took
     */
    Duration claimed(List<GrantedClaim<D>> claims, int newPrefetchMax, Instant now) {
        synchronized (lock) {
            prefetchMax = newPrefetchMax;
            List<JobRun<D>> claimed = runs.claimed(claims);
            claimed.forEach(heldBytes::claimed);
            expected = claimed.size() < reserved ? EXPECTED_IF_DRAINED : 2 * claimed.size();
            Duration took = Duration.between(claimStartedAt, now);
            prefetchSizer.claimTook(took);
            claims.forEach(claim -> prefetchSizer.claimed(claim.job().bytes()));
            starved = waiting.isEmpty() ? Duration.ZERO : starved;
            if (claimed.size() == 1 && claimed.get(0).job().isSuspect()) {
                suspect = claimed.get(0);
                waiting.addFirst(claimed.get(0)); // its claim counts as begun
            } else {
                waiting.addAll(claimed);
            }
            return took;
        }
    }

    // Running

    /** {@return whether jobs may be claimed that wait for a slot, by the rules of the type as of the last claim} */
    boolean mayPrefetch() {
        synchronized (lock) {
            return prefetchMax > 0;
        }
    }

    /** {@return how many jobs wait for a slot} */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    boolean canBegin() {
        synchronized (lock) {
            return running < limit() && !waiting.isEmpty();
        }
    }

    /** Begins the next job on a thread, if the type's limit lets it run. */
    Optional<JobRun<D>> begin(Thread thread) {
        synchronized (lock) {
            if (!canBegin()) {
                return Optional.empty();
            }
            JobRun<D> next = waiting.remove();
            running++;
            starved = Duration.ZERO;
            next.begin(thread);
            if (next == suspect) {
                watchSuspect(next);
            }
            unconfirmed.started(next);
            return Optional.of(next);
        }
    }

    /** A handler of the type has returned. */
    void handlerReturned(JobRun<D> run, Duration took) {
        synchronized (lock) {
            running--;
            heldBytes.ended(run);
            prefetchSizer.jobTook(took);
        }
    }

    /** Claims the next suspect only after this one has run for a while: either of them may end the process. */
    private void watchSuspect(JobRun<D> run) {
        var unused = environment
                .scheduler()
                .schedule(() -> clearSuspect(run), TimerDelays.nanos(SUSPECT_PROBATION), TimeUnit.NANOSECONDS);
    }

    /** Lets another suspect be claimed, if the run is the current suspect. Called without the lock. */
    void clearSuspect(JobRun<D> run) {
        synchronized (lock) {
            if (suspect != run) {
                return;
            }
            suspect = null;
        }
        subscription().demandChanged();
    }

    // Releases, which TypeRuns.writeEnds writes

    /** Releases all jobs that wait for a slot. */
    void releaseWaiting() {
        synchronized (lock) {
            release(waiting);
            waiting.clear();
        }
    }

    /**
     * Releases those of the given jobs that still wait for a slot.
     *
     * @param waited how long the jobs have waited at least
     * @return the released jobs
     */
    Collection<JobRun<D>> releaseWaiting(Collection<JobRun<D>> candidates, Duration waited) {
        synchronized (lock) {
            List<JobRun<D>> released = new ArrayList<>(candidates);
            released.retainAll(new HashSet<>(waiting));
            if (!released.isEmpty()) {
                waiting.removeAll(released);
                prefetchSizer.recordQueueTime(waited);
            }
            release(released);
            return released;
        }
    }

    /**
     * Releases the waiting jobs if no slot has become free for them for too long.
     *
     * @param passed the time since the last check, while jobs waited
     * @param isFull whether the worker has no free slot
     * @return whether jobs were released
     */
    boolean releaseStarved(Duration passed, boolean isFull) {
        synchronized (lock) {
            boolean isStarved = !waiting.isEmpty() && (isFull || running >= limit());
            starved = isStarved ? starved.plus(passed) : Duration.ZERO;
            if (starved.compareTo(prefetchSizer.starvationTimeout()) < 0) {
                return false;
            }
            prefetchSizer.recordQueueTime(starved);
            starved = Duration.ZERO;
            releaseWaiting();
            return true;
        }
    }

    /** Removes the runs that wait for a slot and have lost their claims. Called without the lock. */
    void removeLost(List<Heartbeat.Lost> lost) {
        Set<JobRun<?>> runsLost = lost.stream().map(Heartbeat.Lost::run).collect(Collectors.toSet());
        synchronized (lock) {
            waiting.stream().filter(runsLost::contains).forEach(heldBytes::ended);
            boolean isSuspectLost = waiting.removeIf(runsLost::contains) && runsLost.contains(suspect);
            if (!isSuspectLost) {
                return;
            }
            suspect = null;
        }
        subscription().demandChanged();
    }

    @GuardedBy("lock") private void release(Collection<JobRun<D>> waitingRuns) {
        for (JobRun<D> run : waitingRuns) {
            heldBytes.ended(run);
            var unused = runs.decide(run, PUT_BACK);
            if (suspect == run) {
                suspect = null;
            }
        }
    }
}
