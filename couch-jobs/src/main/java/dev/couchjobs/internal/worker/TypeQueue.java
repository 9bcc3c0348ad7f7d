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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one type in a worker that wait for a slot, and how many of the type run.
 *
 * <p>The lock is the worker's, which all its type queues and runs share.
 *
 * @param <D> the type of the jobs' data
 */
final class TypeQueue<D> implements AutoCloseable {
    /** More than any claim takes, and few enough to be added up. */
    private static final int WANTED_MAX = 1_000;

    /** For how long a job on which claims have expired runs before another such job is claimed. */
    private static final Duration SUSPICION = Duration.ofSeconds(1);

    private static final Disposition UNBEGUN = new Disposition.Released(false);

    private final Object lock;
    private final Environment environment;
    private final HandlerRegistration<D, ?> registration;
    private final TypeRuns<D> runs;
    private final HeartbeatSender<D> heartbeats;
    private final UnconfirmedStarts unconfirmed;
    private volatile @Nullable ClaimSubscription subscription;

    @GuardedBy("lock") private final Deque<JobRun<D>> waiting = new ArrayDeque<>();

    @GuardedBy("lock") private final PrefetchSizer prefetch = new PrefetchSizer();

    @GuardedBy("lock") private int running;

    /** For how long jobs have been seen to wait, and none to begin. */
    @GuardedBy("lock") private Duration stuck = Duration.ZERO;

    /** How many jobs the claim that is under way may take. */
    @GuardedBy("lock") private int reserved;

    /** Its place among the type queues that wait for room to claim; 0 if it does not. */
    @GuardedBy("lock") private long turn;

    /** A job on which claims have expired, until it has run for a while or has ended. */
    @GuardedBy("lock") private @Nullable JobRun<D> suspect;

    @GuardedBy("lock") private boolean isOpen;

    @GuardedBy("lock") private Instant asked = Instant.EPOCH;

    /**
     * Begins with no jobs.
     *
     * @param lock the worker's lock
     * @param nextRound begins a round of heartbeats, and gives the runs of which one is due
     */
    TypeQueue(
            Object lock,
            HandlerRegistration<D, ?> registration,
            TypeRuns<D> runs,
            Instance instance,
            BiFunction<TypeQueue<D>, Duration, List<JobRun<D>>> nextRound) {
        this.lock = lock;
        this.environment = instance.environment();
        this.registration = registration;
        this.runs = runs;
        this.heartbeats = new HeartbeatSender<>(runs, roundTime -> nextRound.apply(this, roundTime), instance);
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

    HeartbeatSender<D> heartbeats() {
        return heartbeats;
    }

    /** Ends what it does in the background. */
    @Override
    public void close() {
        runs.close();
        heartbeats.close();
    }

    // Claiming

    ClaimSubscription subscription() {
        return Objects.requireNonNull(subscription, "not started");
    }

    /** Claims nothing more; completes when the last claim has been given. */
    CompletableFuture<?> closeSubscription() {
        ClaimSubscription begun = subscription;
        return begun == null ? CompletableFuture.completedFuture(this) : begun.close();
    }

    void start(ClaimSubscription subscription) {
        this.subscription = subscription;
    }

    /** From now on jobs may be claimed: all is there that claims for it and what that meets. */
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
     * How many jobs this would claim, of which {@code free} could run at once; at least one for its next turn. Waits
     * until half of what was claimed ahead has begun, so that the next claim is worth while.
     */
    int wanted(int free) {
        synchronized (lock) {
            int limit = registration.limit();
            int ahead = prefetch.ahead(limit);
            int room = Math.min(WANTED_MAX, Math.min(Math.max(1, free), limit - running));
            return waiting.size() > ahead / 2 ? 0 : Math.max(0, room + ahead - waiting.size());
        }
    }

    /** A claim begins that may take so many. */
    ClaimConsumer.Demand reserve(int jobs, boolean isFree, Instant now) {
        synchronized (lock) {
            asked = now;
            reserved = jobs;
            turn = 0;
            return new ClaimConsumer.Demand(jobs, isFree, suspect == null);
        }
    }

    /**
     * Gives up what is reserved.
     *
     * @return how much that was
     */
    int releaseReservation() {
        synchronized (lock) {
            int released = reserved;
            reserved = 0;
            return released;
        }
    }

    /** Its place among the type queues that wait for room, which it keeps until it has got some; 0 if it has none. */
    long turn() {
        synchronized (lock) {
            return turn;
        }
    }

    void waitFor(long turn) {
        synchronized (lock) {
            this.turn = turn;
        }
    }

    /**
     * Takes claimed jobs in.
     *
     * @return how long the claim took
     */
    Duration claimed(List<GrantedClaim<D>> claims, Instant now) {
        synchronized (lock) {
            List<JobRun<D>> claimed = runs.claimed(claims);
            Duration took = Duration.between(asked, now);
            prefetch.claimTook(took);
            stuck = waiting.isEmpty() ? Duration.ZERO : stuck;
            if (claimed.size() == 1 && claimed.get(0).job().isSuspect()) {
                suspect = claimed.get(0);
                waiting.addFirst(claimed.get(0)); // its claim says that it has begun
            } else {
                waiting.addAll(claimed);
            }
            return took;
        }
    }

    // Running

    /** How many wait for a slot. */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    boolean canBegin() {
        synchronized (lock) {
            return running < registration.limit() && !waiting.isEmpty();
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
            stuck = Duration.ZERO;
            next.begin(thread);
            if (next == suspect) {
                watchSuspect(next);
            }
            unconfirmed.started(next);
            return Optional.of(next);
        }
    }

    /** A job of the type runs no more. */
    void ended(Duration took) {
        synchronized (lock) {
            running--;
            prefetch.jobTook(took);
        }
    }

    /** Others that may end the process are not claimed before it is seen that this one does not do so at once. */
    private void watchSuspect(JobRun<D> run) {
        var unused = environment
                .scheduler()
                .schedule(() -> clearSuspect(run), TimerDelays.nanos(SUSPICION), TimeUnit.NANOSECONDS);
    }

    /** Lets another suspect be claimed, if that job is the present one. Called without the lock. */
    void clearSuspect(JobRun<D> run) {
        synchronized (lock) {
            if (suspect != run) {
                return;
            }
            suspect = null;
        }
        subscription().demandChanged();
    }

    // Giving back; TypeRuns.write writes it

    /** Gives all jobs back that wait for a slot. */
    void releaseWaiting() {
        synchronized (lock) {
            release(waiting);
            waiting.clear();
        }
    }

    /**
     * Gives those of some jobs back that still wait for a slot.
     *
     * @param waited how long they have waited at least
     * @return the jobs that are given back
     */
    Collection<JobRun<D>> releaseWaiting(Collection<JobRun<D>> some, Duration waited) {
        synchronized (lock) {
            List<JobRun<D>> idle = new ArrayList<>(some);
            idle.retainAll(new HashSet<>(waiting));
            if (!idle.isEmpty()) {
                waiting.removeAll(idle);
                prefetch.recordQueueTime(waited);
            }
            release(idle);
            return idle;
        }
    }

    /**
     * Gives the jobs back that wait for a slot where none becomes free.
     *
     * @param passed how long ago this was last asked, while some waited
     * @param isFull whether there is no slot for any type
     * @return whether there are any
     */
    boolean releaseStuck(Duration passed, boolean isFull) {
        synchronized (lock) {
            boolean isStuck = !waiting.isEmpty() && (isFull || running == registration.limit());
            stuck = isStuck ? stuck.plus(passed) : Duration.ZERO;
            if (stuck.compareTo(prefetch.patience()) < 0) {
                return false;
            }
            prefetch.recordQueueTime(stuck);
            stuck = Duration.ZERO;
            releaseWaiting();
            return true;
        }
    }

    @GuardedBy("lock") private void release(Collection<JobRun<D>> idle) {
        for (JobRun<D> run : idle) {
            var unused = runs.settle(run, UNBEGUN);
            if (suspect == run) {
                suspect = null;
            }
        }
    }
}
