package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.ClaimConsumer;
import dev.couchjobs.internal.accept.ClaimSubscription;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.instance.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one type in a worker: those that wait for a place, and those that run.
 *
 * <p>The lock is the worker's, which all its type queues and runs share.
 *
 * @param <D> the type of the jobs' data
 */
final class TypeQueue<D> implements ClaimConsumer<D> {
    /** More than any claim takes, and few enough to be added up. */
    private static final int WANTED_MAX = 1_000;

    private final Object lock;
    private final JobPool pool;
    private final BoundHandler<D, ?> handler;
    private final int limit;
    private final Optional<Duration> timeLimit;
    private final Finisher finisher;
    private final HeartbeatSender heartbeats;
    private final UnconfirmedStarts unconfirmed;
    private volatile @Nullable ClaimSubscription subscription;

    @GuardedBy("lock") private final Deque<JobRun<D>> waiting = new ArrayDeque<>();
    /** All whose end is not settled. */
    @GuardedBy("lock") private final Set<JobRun<D>> held = new LinkedHashSet<>();

    @GuardedBy("lock") private final PrefetchSizer prefetch = new PrefetchSizer();

    @GuardedBy("lock") private long round;

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
    /** Whether its heartbeats wait to be roused. */
    @GuardedBy("lock") private boolean rests = true;

    @GuardedBy("lock") private Instant asked = Instant.EPOCH;

    TypeQueue(
            Object lock,
            JobPool pool,
            HandlerRegistration<D, ?> registration,
            ActivityRows activities,
            Instance instance) {
        this.lock = lock;
        this.pool = pool;
        this.handler = registration.handler();
        this.limit = registration.limit();
        this.timeLimit = registration.timeLimit();
        this.finisher = new Finisher(activities, type(), instance);
        this.heartbeats = new HeartbeatSender(pool, this, activities, instance);
        this.unconfirmed = new UnconfirmedStarts(lock, instance.environment(), heartbeats::confirm);
    }

    JobType<D, ?> type() {
        return handler.type();
    }

    BoundHandler<D, ?> handler() {
        return handler;
    }

    Optional<Duration> timeLimit() {
        return timeLimit;
    }

    Finisher finisher() {
        return finisher;
    }

    HeartbeatSender heartbeats() {
        return heartbeats;
    }

    UnconfirmedStarts unconfirmed() {
        return unconfirmed;
    }

    /** Ends what it does in the background. */
    void close() {
        finisher.close();
        heartbeats.close();
    }

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

    long round() {
        synchronized (lock) {
            return round;
        }
    }

    /**
     * Begins another round of heartbeats.
     *
     * @return those who were not heard of in all of the last one
     */
    List<JobRun<D>> due() {
        synchronized (lock) {
            long last = round++;
            List<JobRun<D>> due = new ArrayList<>();
            for (JobRun<D> run : held) {
                if (run.lastHeartbeatRound() < last) {
                    due.add(run);
                }
            }
            return due;
        }
    }

    /** Takes out those of them that still wait for a place. */
    List<JobRun<D>> takeWaiting(List<JobRun<D>> some, Duration waited) {
        synchronized (lock) {
            List<JobRun<D>> idle = new ArrayList<>(some);
            idle.retainAll(new HashSet<>(waiting));
            if (!idle.isEmpty()) {
                waiting.removeAll(idle);
                prefetch.recordQueueTime(waited);
            }
            return idle;
        }
    }

    /** {@return whether its heartbeats may rest until they are roused} */
    boolean suspendHeartbeats() {
        synchronized (lock) {
            rests = held.isEmpty();
            return rests;
        }
    }

    /** {@return whether its heartbeats are to be roused} */
    boolean resumeHeartbeats() {
        synchronized (lock) {
            boolean rested = rests;
            rests = false;
            return rested;
        }
    }

    /** {@return all whose end is not settled} */
    List<JobRun<D>> held() {
        synchronized (lock) {
            return List.copyOf(held);
        }
    }

    boolean holdsNone() {
        synchronized (lock) {
            return held.isEmpty();
        }
    }

    /** The end of a job is settled. */
    void settled(JobRun<?> run) {
        synchronized (lock) {
            held.remove(run);
        }
    }

    @Override
    public Demand reserve() {
        return pool.reserve(this);
    }

    @Override
    public void claimEnded() {
        pool.claimEnded(this);
    }

    @Override
    public void take(List<GrantedClaim<D>> jobs) {
        pool.take(this, jobs);
    }

    /**
     * How many jobs this would claim, of which {@code free} could run at once; at least one for its next turn. Waits
     * until half of what was claimed ahead has begun, so that the next claim is worth while.
     */
    int wanted(int free) {
        synchronized (lock) {
            int ahead = prefetch.ahead(limit);
            int room = Math.min(WANTED_MAX, Math.min(Math.max(1, free), limit - running));
            return waiting.size() > ahead / 2 ? 0 : Math.max(0, room + ahead - waiting.size());
        }
    }

    /** A claim begins that may take so many. */
    Demand reserve(int jobs, boolean isFree, Instant now) {
        synchronized (lock) {
            asked = now;
            reserved = jobs;
            turn = 0;
            return new Demand(jobs, isFree, suspect == null);
        }
    }

    /**
     * Gives up what is reserved.
     *
     * @return how much that was
     */
    int release() {
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

    /** {@return whether that job was to be watched before another that may end its process is claimed} */
    boolean clearSuspect(JobRun<?> run) {
        synchronized (lock) {
            if (suspect != run) {
                return false;
            }
            suspect = null;
            return true;
        }
    }

    boolean isSuspect(JobRun<?> run) {
        synchronized (lock) {
            return suspect == run;
        }
    }

    /**
     * Takes out those that wait for a place where none becomes free.
     *
     * @param passed how long ago this was last asked, while some waited
     * @param isFull whether there is no place for any type
     */
    List<JobRun<D>> takeStuck(Duration passed, boolean isFull) {
        synchronized (lock) {
            stuck = waiting.isEmpty() || !(isFull || running == limit) ? Duration.ZERO : stuck.plus(passed);
            if (stuck.compareTo(prefetch.patience()) < 0) {
                return List.of();
            }
            prefetch.recordQueueTime(stuck);
            stuck = Duration.ZERO;
            return takeWaiting();
        }
    }

    /** How many wait for a place. */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /**
     * Takes claimed jobs in.
     *
     * @return how long the claim took
     */
    Duration claimed(List<JobRun<D>> runs, Instant now) {
        synchronized (lock) {
            Duration took = Duration.between(asked, now);
            prefetch.claimTook(took);
            stuck = waiting.isEmpty() ? Duration.ZERO : stuck;
            held.addAll(runs);
            if (runs.size() == 1 && runs.get(0).job().isSuspect()) {
                suspect = runs.get(0);
                waiting.addFirst(runs.get(0)); // its claim says that it has begun
            } else {
                waiting.addAll(runs);
            }
            return took;
        }
    }

    /** The next job, if the type's limit lets it run. */
    Optional<JobRun<D>> next() {
        synchronized (lock) {
            if (running == limit || waiting.isEmpty()) {
                return Optional.empty();
            }
            running++;
            stuck = Duration.ZERO;
            return Optional.ofNullable(waiting.poll());
        }
    }

    boolean hasNext() {
        synchronized (lock) {
            return running < limit && !waiting.isEmpty();
        }
    }

    void ended(Duration took) {
        synchronized (lock) {
            running--;
            prefetch.jobTook(took);
        }
    }

    /** Those that have not begun; they no longer wait here. */
    List<JobRun<D>> takeWaiting() {
        synchronized (lock) {
            List<JobRun<D>> all = List.copyOf(waiting);
            waiting.clear();
            return all;
        }
    }
}
