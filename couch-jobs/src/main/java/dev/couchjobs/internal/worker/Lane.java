package dev.couchjobs.internal.worker;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.Claimed;
import dev.couchjobs.internal.accept.Intake;
import dev.couchjobs.internal.accept.Taker;
import dev.couchjobs.internal.verbs.Instance;
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
 * The jobs of one type in a worker: those that wait for a place, and those that run. Guarded by the pool.
 *
 * @param <D> the type of the jobs' data
 */
final class Lane<D> implements Taker<D> {
    /** More than any claim takes, and few enough to be added up. */
    private static final int WANTED_MAX = 1_000;

    private final JobPool pool;
    private final Handling<D, ?> handling;
    private final int limit;
    private final Optional<Duration> timeLimit;
    private final Finisher finisher;
    private final Heartbeats heartbeats;
    private volatile @Nullable Intake intake;

    private final Deque<Run<D>> waiting = new ArrayDeque<>();
    /** All whose end is not settled. */
    private final Set<Run<D>> held = new LinkedHashSet<>();

    private final Unconfirmed unconfirmed = new Unconfirmed();
    private final Appetite appetite = new Appetite();
    private long round;
    private int running;
    /** For how long jobs have been seen to wait, and none to begin. */
    private Duration stuck = Duration.ZERO;
    /** How many jobs the claim that is under way may take. */
    private int reserved;
    /** Its place among the lanes that wait for room to claim; 0 if it does not. */
    private long turn;
    /** A job on which claims have expired, until it has run for a while or has ended. */
    private @Nullable Run<D> suspect;

    private boolean isOpen;
    /** Whether its heartbeats wait to be roused. */
    private boolean rests = true;

    private Instant asked = Instant.EPOCH;

    Lane(JobPool pool, Assignment<D, ?> assignment, Instance instance) {
        this.pool = pool;
        this.handling = assignment.handling();
        this.limit = assignment.limit();
        this.timeLimit = assignment.timeLimit();
        this.finisher = new Finisher(pool, type(), instance);
        this.heartbeats = new Heartbeats(pool, this, instance);
    }

    JobType<D, ?> type() {
        return handling.type();
    }

    Handling<D, ?> handling() {
        return handling;
    }

    Optional<Duration> timeLimit() {
        return timeLimit;
    }

    Finisher finisher() {
        return finisher;
    }

    Heartbeats heartbeats() {
        return heartbeats;
    }

    Unconfirmed unconfirmed() {
        return unconfirmed;
    }

    /** Ends what it does in the background. */
    void close() {
        finisher.close();
        heartbeats.close();
    }

    Intake intake() {
        return Objects.requireNonNull(intake, "not started");
    }

    /** Claims nothing more; completes when the last claim has been given. */
    CompletableFuture<?> closeIntake() {
        Intake begun = intake;
        return begun == null ? CompletableFuture.completedFuture(this) : begun.close();
    }

    void start(Intake intake) {
        this.intake = intake;
    }

    /** From now on jobs may be claimed: all is there that claims for it and what that meets. */
    void open() {
        isOpen = true;
    }

    boolean isOpen() {
        return isOpen;
    }

    long round() {
        return round;
    }

    /**
     * Begins another round of heartbeats.
     *
     * @return those who were not heard of in all of the last one
     */
    List<Run<D>> due() {
        long last = round++;
        List<Run<D>> due = new ArrayList<>();
        for (Run<D> run : held) {
            if (run.heardIn() < last) {
                due.add(run);
            }
        }
        return due;
    }

    /** Takes out those of them that still wait for a place. */
    List<Run<D>> takeWaiting(List<Run<D>> some, Duration waited) {
        List<Run<D>> idle = new ArrayList<>(some);
        idle.retainAll(new HashSet<>(waiting));
        if (!idle.isEmpty()) {
            waiting.removeAll(idle);
            appetite.keptWaiting(waited);
        }
        return idle;
    }

    /** {@return whether its heartbeats may rest until they are roused} */
    boolean letRest() {
        rests = held.isEmpty();
        return rests;
    }

    /** {@return whether its heartbeats are to be roused} */
    boolean endRest() {
        boolean rested = rests;
        rests = false;
        return rested;
    }

    Set<Run<D>> held() {
        return held;
    }

    @Override
    public Room reserve() {
        return pool.reserve(this);
    }

    @Override
    public void claimEnded() {
        pool.claimEnded(this);
    }

    @Override
    public void take(List<Claimed<D>> jobs) {
        pool.take(this, jobs);
    }

    /**
     * How many jobs this would claim, of which {@code free} could run at once; at least one for its next turn. Waits
     * until half of what was claimed ahead has begun, so that the next claim is worth while.
     */
    int wanted(int free) {
        int ahead = appetite.ahead(limit);
        int room = Math.min(WANTED_MAX, Math.min(Math.max(1, free), limit - running));
        return waiting.size() > ahead / 2 ? 0 : Math.max(0, room + ahead - waiting.size());
    }

    /** A claim begins that may take so many. */
    Room reserve(int jobs, boolean isFree, Instant now) {
        asked = now;
        reserved = jobs;
        turn = 0;
        return new Room(jobs, isFree, suspect == null);
    }

    /**
     * Gives up what is reserved.
     *
     * @return how much that was
     */
    int release() {
        int released = reserved;
        reserved = 0;
        return released;
    }

    /** Its place among the lanes that wait for room, which it keeps until it has got some; 0 if it has none. */
    long turn() {
        return turn;
    }

    void waitFor(long turn) {
        this.turn = turn;
    }

    /** {@return whether that job was to be watched before another that may end its process is claimed} */
    boolean endSuspicion(Run<?> run) {
        if (suspect != run) {
            return false;
        }
        suspect = null;
        return true;
    }

    boolean isSuspect(Run<?> run) {
        return suspect == run;
    }

    /**
     * Takes out those that wait for a place where none becomes free.
     *
     * @param passed how long ago this was last asked, while some waited
     * @param isFull whether there is no place for any type
     */
    List<Run<D>> takeStuck(Duration passed, boolean isFull) {
        stuck = waiting.isEmpty() || !(isFull || running == limit) ? Duration.ZERO : stuck.plus(passed);
        if (stuck.compareTo(appetite.patience()) < 0) {
            return List.of();
        }
        appetite.keptWaiting(stuck);
        stuck = Duration.ZERO;
        return takeWaiting();
    }

    /** How many wait for a place. */
    int waiting() {
        return waiting.size();
    }

    /**
     * Takes claimed jobs in.
     *
     * @return how long the claim took
     */
    Duration claimed(List<Run<D>> runs, Instant now) {
        Duration took = Duration.between(asked, now);
        appetite.claimTook(took);
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

    /** The next job, if the type's limit lets it run. */
    Optional<Run<D>> next() {
        if (running == limit || waiting.isEmpty()) {
            return Optional.empty();
        }
        running++;
        stuck = Duration.ZERO;
        return Optional.ofNullable(waiting.poll());
    }

    boolean hasNext() {
        return running < limit && !waiting.isEmpty();
    }

    void ended(Duration took) {
        running--;
        appetite.jobTook(took);
    }

    /** Those that have not begun; they no longer wait here. */
    List<Run<D>> takeWaiting() {
        List<Run<D>> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }
}
