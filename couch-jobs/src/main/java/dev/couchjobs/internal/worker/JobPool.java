package dev.couchjobs.internal.worker;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.accept.Claimed;
import dev.couchjobs.internal.accept.Taker;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.loop.Delays;
import dev.couchjobs.internal.verbs.How;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that one worker has claimed, and the places in which they run.
 *
 * <p>Claiming, running and finishing overlap: while handlers run, the next jobs are being claimed and the ends of the
 * last ones written. Threads are not kept: one is started when a job can run that no thread takes, takes jobs as long
 * as there are any, and goes. Each that takes a job and sees another summons the next.
 */
public final class JobPool {
    private static final Logger LOG = LoggerFactory.getLogger(JobPool.class);
    /** How long the ends of the last jobs may take to be written. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

    /** How often it is looked whether jobs wait here for nothing, while any wait. */
    private static final Duration LOOK = Duration.ofMillis(50);

    /** For how long a job on which claims have expired runs before another such job is claimed. */
    private static final Duration SUSPICION = Duration.ofSeconds(1);

    /** How long a job runs at least before the database is told that it does, unless its claim says so. */
    private static final Duration CONFIRMATION = Duration.ofMillis(400);

    /** How long a handler may go on that was told to stop, before a worker complains. */
    private static final Duration OBEYS_WITHIN = Duration.ofSeconds(10);

    private static final How UNBEGUN = new How.HandedBack(false);

    /** The pool whose handler runs on a thread. */
    private static final ThreadLocal<JobPool> AT_WORK = new ThreadLocal<>();

    private final Environment environment;
    private final Instance instance;
    private final Acceptors acceptors;
    private final WorkerSettings settings;
    /** Calls what users have asked to be told, and what may block there. */
    private final Executor callers;

    /** Grows while this is held. */
    private final List<Lane<?>> lanes = new CopyOnWriteArrayList<>();

    private final JobRunner runner;
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Guarded by this, as are all lanes and runs. With it held, no code outside is called.
    private int running;
    /**
     * Every lane in which jobs wait, the one whose turn is next first; maybe others. What is done for each job looks at
     * these alone: there may be a thousand lanes.
     */
    private final Set<Lane<?>> turns = new LinkedHashSet<>();
    /** Every lane that may have jobs to claim and had no room when it last asked, by turns. */
    private final NavigableMap<Long, Lane<?>> wanting = new TreeMap<>();

    private long turn;
    /** How many jobs may be taken by the claims that are under way. */
    private int reserved;
    /** Of all types together: how many jobs to claim beyond those that can begin. */
    private final Appetite appetite = new Appetite();

    /** How many handlers go on long after they were told to stop. */
    private int lost;

    private boolean summoned;
    private boolean watching;
    private boolean closing;

    public JobPool(
            Instance instance,
            Acceptors acceptors,
            WorkerSettings settings,
            List<? extends Assignment<?, ?>> assignments) {
        this.environment = instance.environment();
        this.instance = instance;
        this.acceptors = acceptors;
        this.settings = settings;
        this.callers = instance.database().getExecutor();
        this.runner = new JobRunner(this, instance);
        assignments.forEach(assignment -> lanes.add(lane(assignment)));
    }

    private <D> Lane<D> lane(Assignment<D, ?> assignment) {
        return new Lane<>(this, assignment, instance);
    }

    /** Begins to claim. */
    public void start() {
        try {
            lanes.forEach(this::serve);
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            var unused = lanes.stream().map(Lane::closeIntake).toList();
            stop();
            throw e;
        }
        synchronized (this) {
            lanes.forEach(Lane::open);
        }
        lanes.forEach(lane -> lane.intake().poke());
    }

    /** Takes up a further type. */
    public void add(Handling<?, ?> handling) {
        Lane<?> lane = lane(new Assignment<>(handling, settings.concurrency(), Optional.empty()));
        join(lane);
        try {
            serve(lane);
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            lanes.remove(lane);
            throw e;
        }
        if (open(lane)) {
            lane.intake().poke();
        } else { // what closes this has not seen the intake
            var unused = lane.closeIntake();
            lane.close();
            throw closed();
        }
    }

    private synchronized void join(Lane<?> lane) {
        if (closing) {
            throw closed();
        }
        if (lanes.stream()
                .anyMatch(other -> other.type().name().equals(lane.type().name()))) {
            throw lane.handling().second();
        }
        lanes.add(lane);
    }

    private synchronized boolean open(Lane<?> lane) {
        lane.open();
        return !closing;
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("The worker is closed: start another one.");
    }

    private <D> void serve(Lane<D> lane) {
        lane.start(acceptors.serve(lane.type(), lane, settings.wanted()));
    }

    /** How many tries of a handler's transaction may take too long. */
    int longTriesMax() {
        return settings.longTriesMax();
    }

    /** Has something done when this has ended. */
    public void whenEnded(Runnable action) {
        var unused = ended.whenComplete((done, error) -> action.run());
    }

    // Claiming

    /** A place is reserved before it is claimed for: so no two types claim for the same one. */
    synchronized Taker.Room reserve(Lane<?> lane) {
        if (!lane.isOpen() || closing) {
            return Taker.Room.NONE;
        }
        long beyond = beyond();
        int room = Math.min(room(beyond), lane.wanted(free()));
        if (room == 0) {
            if (lane.turn() == 0) {
                lane.waitFor(++turn);
            }
            wanting.put(lane.turn(), lane);
            return Taker.Room.NONE;
        }
        wanting.remove(lane.turn());
        reserved += room;
        return lane.reserve(room, room <= -beyond, now());
    }

    void claimEnded(Lane<?> lane) {
        synchronized (this) {
            reserved -= lane.release();
        }
        pokeAll();
    }

    /** The places in which nothing runs and for which no claim is under way. */
    private int free() {
        return Math.max(0, settings.concurrency() - running - reserved);
    }

    /**
     * How many more jobs there are than places, with those that are being claimed; below zero there are free places.
     */
    private long beyond() {
        long waiting = turns.stream().mapToInt(Lane::waiting).sum();
        return running + reserved + waiting - settings.concurrency();
    }

    /** How many jobs may be claimed. Waits until half of what was claimed ahead has begun, as each type does. */
    private int room(long beyond) {
        int ahead = appetite.ahead(settings.concurrency());
        return beyond > ahead / 2 ? 0 : (int) Math.min(Integer.MAX_VALUE, ahead - beyond);
    }

    <D> void take(Lane<D> lane, List<Claimed<D>> claims) {
        List<Run<D>> runs = new ArrayList<>(claims.size());
        boolean rouse;
        synchronized (this) {
            for (Claimed<D> claim : claims) {
                JobRef ref =
                        instance.keyspace().job(lane.type().name(), claim.job().id());
                runs.add(new Run<>(lane, claim, ref, lane.round()));
            }
            reserved -= lane.release();
            appetite.claimTook(lane.claimed(runs, now()));
            turns.add(lane);
            rouse = lane.endRest();
        }
        if (rouse) {
            lane.heartbeats().rouse();
        }
        if (isClosing()) {
            giveBackWaiting();
        } else {
            summonIfNeeded();
            watchWaiting();
        }
    }

    /**
     * Jobs were claimed ahead because those before them were short. If one is not, the others are not to wait for it.
     */
    private void watchWaiting() {
        synchronized (this) {
            if (watching || closing || turns.stream().allMatch(lane -> lane.waiting() == 0)) {
                return;
            }
            watching = true;
        }
        var unused = environment.scheduler().schedule(this::giveBackStuck, Delays.nanos(LOOK), TimeUnit.NANOSECONDS);
    }

    private void giveBackStuck() {
        List<Run<?>> stuck = new ArrayList<>();
        synchronized (this) {
            watching = false;
            boolean isFull = running == settings.concurrency();
            turns.forEach(lane -> stuck.addAll(lane.takeStuck(LOOK, isFull)));
            stuck.forEach(run -> settle(run, UNBEGUN));
            if (!stuck.isEmpty()) {
                appetite.keptWaiting(appetite.patience());
            }
        }
        pokeAll();
        stuck.stream().map(Run::lane).distinct().forEach(lane -> lane.finisher().wake());
        watchWaiting();
    }

    // Running

    private void summonIfNeeded() {
        synchronized (this) {
            if (summoned || closing || !canBegin()) {
                return;
            }
            summoned = true;
        }
        try {
            settings.executor().execute(this::work);
        } catch (Throwable e) { // also an error: there may be no more threads at present
            refused(e);
        }
    }

    private void refused(Throwable error) {
        synchronized (this) {
            summoned = false;
        }
        LOG.warn("The executor of a worker refuses its jobs; it is asked again in {}", AFTER_REFUSAL, error);
        var unused = environment
                .scheduler()
                .schedule(
                        () -> {
                            pokeAll(); // those that waited may have been given back meanwhile
                            summonIfNeeded();
                        },
                        Delays.nanos(AFTER_REFUSAL),
                        TimeUnit.NANOSECONDS);
    }

    private boolean canBegin() {
        return running < settings.concurrency() && turns.stream().anyMatch(Lane::hasNext);
    }

    private void work() {
        synchronized (this) {
            summoned = false;
        }
        JobPool outer = AT_WORK.get();
        AT_WORK.set(this);
        try {
            for (Optional<? extends Run<?>> next = begin(); next.isPresent(); next = begin()) {
                summonIfNeeded();
                pokeAll(); // a job that no longer waits makes room for another to be claimed
                runner.run(next.get());
            }
        } finally {
            AT_WORK.set(outer);
        }
    }

    private synchronized Optional<? extends Run<?>> begin() {
        if (closing || running == settings.concurrency()) {
            return Optional.empty();
        }
        for (Iterator<Lane<?>> each = turns.iterator(); each.hasNext(); ) {
            Lane<?> lane = each.next();
            Optional<? extends Run<?>> next = lane.next();
            if (next.isPresent() || lane.waiting() == 0) {
                each.remove();
            }
            if (next.isPresent()) {
                if (lane.waiting() > 0) {
                    turns.add(lane); // behind the others: no type keeps them waiting
                }
                running++;
                next.get().begin(Thread.currentThread());
                watchSuspect(next.get());
                if (lane.unconfirmed().begun(next.get())) {
                    confirmLater(lane);
                }
                return next;
            }
        }
        return Optional.empty();
    }

    private void confirmLater(Lane<?> lane) {
        var unused =
                environment.scheduler().schedule(() -> confirm(lane), Delays.nanos(CONFIRMATION), TimeUnit.NANOSECONDS);
    }

    private void confirm(Lane<?> lane) {
        List<Run<?>> due;
        synchronized (this) {
            due = lane.unconfirmed().age();
            if (lane.unconfirmed().isAging()) {
                confirmLater(lane);
            }
        }
        lane.heartbeats().confirm(due);
    }

    /** Others that may end the process are not claimed before it is seen that this one does not do so at once. */
    private void watchSuspect(Run<?> run) {
        if (run.lane().isSuspect(run)) {
            var unused = environment
                    .scheduler()
                    .schedule(() -> endSuspicion(run), Delays.nanos(SUSPICION), TimeUnit.NANOSECONDS);
        }
    }

    private void endSuspicion(Run<?> run) {
        synchronized (this) {
            if (!run.lane().endSuspicion(run)) {
                return;
            }
        }
        run.lane().intake().poke();
    }

    /** A handler has come to its end. */
    void over(Run<?> run, How how, Duration took) {
        boolean first;
        boolean threadGoesOn;
        boolean wasLost;
        synchronized (this) {
            wasLost = run.over();
            lost -= wasLost ? 1 : 0;
            threadGoesOn = run.leaveThread();
            run.endTimer();
            running--;
            run.lane().ended(took);
            appetite.jobTook(took);
            first = settle(run, how);
        }
        endSuspicion(run);
        if (wasLost) {
            LOG.info("The handler of {} has ended, and its place in the worker is free again", run);
        }
        if (first) {
            FailureLog.tell(run, how);
        }
        run.lane().finisher().wake();
        pokeAll();
        if (!threadGoesOn) {
            summonIfNeeded();
        }
        checkNothingHeld();
    }

    /** A handler has begun something that will come to its end by itself. */
    void begun(Run<?> run, CompletableFuture<?> stage) {
        boolean halted;
        synchronized (this) {
            run.begun(stage);
            halted = run.isHalted();
        }
        if (halted) {
            stage.cancel(true);
        }
    }

    synchronized void leaveThread(Run<?> run) {
        var unused = run.leaveThread();
    }

    synchronized void limit(Run<?> run, Duration time) {
        run.limitedBy(environment
                .scheduler()
                .schedule(() -> stop(run, timeIsUp(time)), Delays.nanos(time), TimeUnit.NANOSECONDS));
    }

    private static How timeIsUp(Duration time) {
        return new How.Failed("The handler took longer than its time limit of " + time + ".", true);
    }

    // Ending

    /** Held by the worker or by its finisher, at no time by none: or closing might miss it. */
    private boolean settle(Run<?> run, How how) {
        run.lane().held().remove(run);
        if (how.equals(UNBEGUN)) {
            run.lane().endSuspicion(run);
        }
        boolean first = run.settle(how);
        if (first) {
            run.lane().finisher().add(run);
        }
        return first;
    }

    /** Ends a job whatever its handler does, which is told to stop. */
    private void stop(Run<?> run, How how) {
        Optional<CompletableFuture<?>> stage;
        synchronized (this) {
            if (!settle(run, how)) {
                return;
            }
            stage = run.halt();
        }
        FailureLog.tell(run, how);
        run.lane().finisher().wake();
        checkNothingHeld();
        cancel(stage);
        expectEnd(run);
    }

    private void expectEnd(Run<?> run) {
        var unused = environment
                .scheduler()
                .schedule(
                        () -> callers.execute(() -> complainUnlessOver(run)),
                        Delays.nanos(OBEYS_WITHIN),
                        TimeUnit.NANOSECONDS);
    }

    private void complainUnlessOver(Run<?> run) {
        Throwable where = new Throwable("where its thread is");
        int places;
        synchronized (this) {
            if (!run.hasPlace() || closing) {
                return;
            }
            run.stuck();
            places = ++lost;
            where.setStackTrace(run.thread().map(Thread::getStackTrace).orElse(new StackTraceElement[0]));
        }
        LOG.warn(
                "The handler of {} goes on, though it was told to stop {} ago: its place is lost until it ends, {}"
                        + " of {} are."
                        + " Let handlers end when they are interrupted, or their stages when they are cancelled.",
                run,
                OBEYS_WITHIN,
                places,
                settings.concurrency(),
                where);
    }

    /** {@return how many places are taken by handlers that go on long after they were told to stop} */
    public synchronized int lostPlaces() {
        return lost;
    }

    /** That may call users' code, which is not to hold up the timer, or the signs of life of others. */
    private void cancel(Optional<CompletableFuture<?>> stage) {
        stage.ifPresent(begun -> callers.execute(() -> begun.cancel(true)));
    }

    /** A job has been ended by its handler, or is another's, as its handler says: so its activity row is let be. */
    void drop(Run<?> run, boolean lost) {
        synchronized (this) {
            run.lane().held().remove(run);
            run.drop();
            if (lost) {
                run.lose();
            } else {
                run.gone();
            }
        }
        checkNothingHeld();
    }

    /** The activity rows under which no job is left but these. */
    synchronized List<Versionstamp> emptiedBy(List<Run<?>> runs) {
        Map<SharedActivity, Integer> leaving = new HashMap<>();
        for (Run<?> run : runs) {
            if (run.activity() != null) {
                leaving.merge(run.activity(), 1, Integer::sum);
            }
        }
        List<Versionstamp> rows = new ArrayList<>();
        leaving.forEach((activity, some) -> {
            if (activity.isEmptyWithout(some)) {
                activity.sequence().ifPresent(rows::add);
            }
        });
        return rows;
    }

    /** Their ends have been committed. */
    synchronized void left(List<Run<?>> runs) {
        runs.forEach(Run::gone);
    }

    // Signs of life

    /**
     * {@return whether there are no jobs of a lane of which signs of life could be due} Then the next jobs rouse it.
     */
    synchronized boolean letRest(Lane<?> lane) {
        return lane.letRest();
    }

    /**
     * The jobs of which another sign of life is due. Those that still wait for a place here after so long are given
     * back instead, since others may have one.
     */
    <D> List<Run<?>> due(Lane<D> lane, Duration roundTime) {
        List<Run<?>> due;
        synchronized (this) {
            List<Run<D>> silent = lane.due();
            List<Run<D>> idle = lane.takeWaiting(silent, roundTime);
            idle.forEach(run -> settle(run, UNBEGUN));
            if (!idle.isEmpty()) {
                appetite.keptWaiting(roundTime);
            }
            silent.removeAll(new HashSet<>(idle));
            due = List.copyOf(silent);
        }
        lane.finisher().wake();
        pokeAll();
        return due;
    }

    /**
     * A heartbeat has been committed.
     *
     * @param before the activity rows that its jobs were known to share when it began
     */
    void heard(Heartbeat.Heard beat, Map<Run<?>, Optional<SharedActivity>> before) {
        synchronized (this) {
            beat.heard()
                    .forEach((run, activity) -> run.heardOf(
                            before.getOrDefault(run, Optional.empty()).orElse(null),
                            activity.orElse(null),
                            run.lane().round()));
        }
        beat.lost().forEach(this::halt);
    }

    /** Whether a sign of life would not come too early. */
    synchronized boolean isSilent(Run<?> run) {
        return run.heardIn() < run.lane().round();
    }

    /** The activity rows that jobs are known to share. */
    synchronized Map<Run<?>, Optional<SharedActivity>> activitiesOf(List<Run<?>> runs) {
        Map<Run<?>, Optional<SharedActivity>> activities = new HashMap<>();
        runs.forEach(run -> activities.put(run, Optional.ofNullable(run.activity())));
        return activities;
    }

    /** The activity row that a job is known to share. */
    synchronized @Nullable SharedActivity activityOf(Run<?> run) {
        return run.activity();
    }

    /** A job has been heard of by itself, having shared that row when this began. */
    synchronized void heard(Run<?> run, @Nullable SharedActivity before) {
        run.heardOf(before, null, run.lane().round());
    }

    /** A job is another's, or gone; unless it has just been ended here, its handler is told to stop. */
    private void halt(Run<?> run) {
        Optional<CompletableFuture<?>> stage;
        synchronized (this) {
            if (run.isSettled()) {
                return;
            }
            run.lane().held().remove(run);
            run.drop();
            run.gone();
            stage = run.halt();
        }
        LOG.info("{} is another's by now, or gone; its handler is told to stop", run);
        checkNothingHeld();
        cancel(stage);
        expectEnd(run);
    }

    private void pokeAll() {
        List<Lane<?>> poked;
        synchronized (this) {
            if (closing || wanting.isEmpty()) {
                return;
            }
            poked = takeNext();
        }
        poked.forEach(lane -> lane.intake().poke());
    }

    /** Takes the lanes out whose turn it is to claim, as many as there is room for. */
    private List<Lane<?>> takeNext() {
        List<Lane<?>> next = new ArrayList<>();
        long room = room(beyond());
        for (Iterator<Lane<?>> each = wanting.values().iterator(); room > 0 && each.hasNext(); ) {
            Lane<?> lane = each.next();
            int wanted = lane.wanted(free());
            if (wanted > 0) {
                each.remove();
                next.add(lane);
                room -= wanted;
            }
        }
        return next;
    }

    // Closing

    /** Ends it, and waits for that unless a handler of its own calls. */
    public void close() {
        CompletableFuture<Void> ending = closeAsync();
        if (AT_WORK.get() != this) {
            ending.join();
        }
    }

    /** Ends it; completes when it has ended. */
    public CompletableFuture<Void> closeAsync() {
        synchronized (this) {
            if (closing) {
                return ended.copy();
            }
            closing = true;
        }
        giveBackWaiting();
        var timer = environment
                .scheduler()
                .schedule(this::giveBackAll, Delays.nanos(settings.closeWithin()), TimeUnit.NANOSECONDS);
        CompletableFuture<?> claimed =
                CompletableFuture.allOf(lanes.stream().map(Lane::closeIntake).toArray(CompletableFuture<?>[]::new));
        var unused = within(settings.closeWithin().plus(LAST_WORDS), claimed, "A claim is not answered")
                .thenCompose(closed -> {
                    checkNothingHeld();
                    return nothingHeld;
                })
                .thenCompose(nothing -> {
                    timer.cancel(false);
                    return drained();
                })
                .whenComplete((drained, error) -> end());
        return ended.copy();
    }

    /** Ends it as far as that can be done at once. */
    public void stop() {
        var unused = closeAsync();
        giveBackAll();
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    private void giveBackWaiting() {
        synchronized (this) {
            lanes.forEach(lane -> lane.takeWaiting().forEach(run -> settle(run, UNBEGUN)));
        }
        lanes.forEach(lane -> lane.finisher().wake());
        checkNothingHeld();
    }

    private void giveBackAll() {
        List<Run<?>> all = new ArrayList<>();
        synchronized (this) {
            lanes.forEach(lane -> all.addAll(lane.held()));
        }
        if (!all.isEmpty()) {
            LOG.warn("{} jobs did not end while their worker closed; they are given back", all.size());
        }
        all.forEach(run -> stop(run, new How.HandedBack(true)));
    }

    private void checkNothingHeld() {
        synchronized (this) {
            if (!closing || lanes.stream().anyMatch(lane -> !lane.held().isEmpty())) {
                return;
            }
        }
        nothingHeld.complete(null);
    }

    private CompletableFuture<?> drained() {
        CompletableFuture<?> written = CompletableFuture.allOf(
                lanes.stream().map(lane -> lane.finisher().drained()).toArray(CompletableFuture<?>[]::new));
        return within(LAST_WORDS, written, "Not all ends of jobs could be written");
    }

    /**
     * When it is done, or at the latest after so long: a database that does not answer must not keep a process from
     * ending.
     */
    private CompletableFuture<?> within(Duration time, CompletableFuture<?> work, String otherwise) {
        CompletableFuture<Boolean> tooLate = new CompletableFuture<>();
        var timer = environment
                .scheduler()
                .schedule(
                        () -> callers.execute(() -> tooLate.complete(false)), Delays.nanos(time), TimeUnit.NANOSECONDS);
        CompletableFuture<Boolean> done = work.thenApply(value -> {
            timer.cancel(false);
            return true;
        });
        return done.applyToEither(tooLate, inTime -> {
            if (!inTime) {
                LOG.warn("{}; these jobs return when their leases have run out", otherwise);
            }
            return inTime;
        });
    }

    private void end() {
        lanes.forEach(Lane::close);
        settings.releaseExecutor().run();
        ended.complete(null);
    }

    private Instant now() {
        return environment.clock().instant();
    }
}
