package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.feed.FeedKeys;
import dev.couchjobs.internal.idle.IdleProcesses;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs of one type back into the queue when their processors have gone silent (RFC 007, "Activity Monitor").
 *
 * <p>A silent processor counts as a failed attempt. A job without attempts left fails.
 *
 * <p>Four times in every activity timeout T the monitor records the database's read version. A job whose last
 * heartbeat is older than a version that was recorded T ago has been silent for T, independent of any clock, and is put
 * back: between T and 1.5 T after its last heartbeat, plus the time of one transaction. Any number of monitors may
 * run on any nodes. A job is put back only if it still runs under the sequence that the monitor read, so two monitors
 * put it back once.
 *
 * <p>The monitor does so while the type is in use and this process holds the type's monitor lease (rfc/018). Each round
 * renews the lease. While another process holds the lease, this monitor only records read versions, at the same rate,
 * when {@link MonitorLeases} reads the leases. It takes the lease when the lease was not renewed for longer than the
 * time between two renewals, and continues with the versions that it has recorded.
 *
 * <p>The monitor also checks that the leader claims jobs ({@link LeaderCheck}), and audits one page of the running jobs
 * every few rounds ({@link ActivityIndexAudit}). The use of the type ends after four rounds in which no job ran and no
 * job that may run waited.
 */
final class ActivityMonitor implements AutoCloseable {
    private static final Duration INTERVAL_WITHOUT_TIMEOUT = Duration.ofSeconds(5);
    static final int MARKS_PER_TIMEOUT = 4;
    /** The longest pause: the lease is renewed and jobs without a leader are noticed that often. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    /** The maximum number of recorded versions in a timeout: the timeout of another type may cause more reads. */
    private static final int MARKS_PER_TIMEOUT_MAX = 32;
    /** A lease expires after this part of a timeout without renewal; renewals are up to 30 percent apart. */
    private static final int LEASE_PERCENT = 35;
    /** The process that has taken an expired lease looks a second time after this part of a pause. */
    private static final int PAUSES_PER_ADDITIONAL = 3;
    /** The use of a type ends after this number of rounds without a job that runs or may run. */
    private static final int QUIET_ROUNDS = 4;

    private static final int JITTER_PERCENT = 20;

    private enum Duty {
        /** Another process holds the lease, or the type is not in use. */
        NONE,
        /** The lease of another process has expired, or no process holds the lease. */
        TAKEOVER,
        /** This process holds the lease, as far as it knows. */
        HELD
    }

    private final OptionalLong token;
    private final Database database;
    private final Environment environment;
    private final InstantSource clock;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Loop loop;
    private final SilentJobs silentJobs;
    private final ActivityIndexAudit activityIndexAudit;
    private final LeaderCheck leaderCheck;
    private final LayoutRow layoutRow;
    private final Supplier<JobType<?, ?>> policy;

    @GuardedBy("this") private Duty duty = Duty.NONE;

    @GuardedBy("this") private final AgedVersions marks = new AgedVersions();

    @GuardedBy("this") private Optional<Duration> timeout = Optional.empty();
    /** The lease of another process as last read, and how long this process had slept when it first read it. */
    @GuardedBy("this") private @Nullable TypeInUse otherLease;

    @GuardedBy("this") private Duration otherLeaseSince = Duration.ZERO;
    /** A job that the leader does not claim, according to the lease of another process. */
    @GuardedBy("this") private Optional<TypeInUse.NextJob> unclaimed = Optional.empty();
    /** How long this process had slept when it last recorded a version of another process's lease. */
    @GuardedBy("this") private @Nullable Duration observedAt;

    // Used by one round at a time.
    private MeasuredPause pause = MeasuredPause.NONE;
    /** What has passed of the pause before the additional round. */
    private Duration additionalPause = Duration.ZERO;

    private int quietRounds;
    /** The stamp of the last change of a job, as the last round has read it. */
    private Optional<ByteBuffer> lastChange = Optional.empty();

    /**
     * A monitor that does nothing until its type is in use.
     *
     * @param token identifies this process in all its monitors
     * @param policy supplies the job type whose retry policy applies to jobs of silent processors
     */
    ActivityMonitor(Instance instance, String typeName, long token, Supplier<JobType<?, ?>> policy) {
        this.token = OptionalLong.of(token);
        this.policy = policy;
        this.database = instance.database();
        this.environment = instance.environment();
        this.clock = instance.clock();
        Keyspace keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("monitor", typeName);
        this.keys = keyspace.type(typeName);
        this.silentJobs = new SilentJobs(instance, transactions, keys, policy, this::renew);
        this.activityIndexAudit = new ActivityIndexAudit(database, transactions, keyspace, keys);
        this.layoutRow = new LayoutRow(keyspace);
        this.leaderCheck = new LeaderCheck(instance, transactions, keys);
        this.loop = new Loop("activity monitor of " + typeName, environment, this::round);
    }

    @Override
    public void close() {
        loop.close();
    }

    /** The timeout of a type as read from the database; empty if the type has none. */
    record StoredTimeout(Optional<Duration> value) {}

    // While another process holds the lease

    /** {@return whether {@link #observe} needs the type's timeout} */
    synchronized boolean needsTimeout(TypeInUse now) {
        return !now.holder().equals(token)
                && (observedAt == null || now.timeout().isEmpty());
    }

    /**
     * Observes the lease.
     *
     * @param stored the timeout, if this round has read it
     * @param version the read version of the round
     * @param at how long this process has slept in all
     * @param takesFree whether this process takes a lease that no process holds at once
     * @return the timeout within which another process has to renew the lease; empty if this process holds it
     */
    synchronized Optional<Duration> observe(
            TypeInUse now, Optional<StoredTimeout> stored, Versionstamp version, Duration at, boolean takesFree) {
        if (now.holder().equals(token)) {
            if (duty != Duty.HELD) {
                duty = Duty.HELD;
                observedAt = null;
                loop.wakeUp();
            } else if (now.timeout().isEmpty() && timeout.isPresent()) { // the type has another timeout
                loop.wakeUp();
            }
            return Optional.empty();
        }
        if (duty == Duty.HELD) { // the next round finds out that the lease is lost
            loop.wakeUp();
        } else {
            Optional<Duration> published = now.equals(otherLease) ? timeout : now.timeout();
            mark(stored.map(StoredTimeout::value).orElse(published), version, at);
            decideDuty(now, at, takesFree);
        }
        return Optional.of(timeoutOrDefault());
    }

    @GuardedBy("this") private Duration timeoutOrDefault() {
        return timeout.orElse(INTERVAL_WITHOUT_TIMEOUT.multipliedBy(MARKS_PER_TIMEOUT));
    }

    @GuardedBy("this") private void mark(Optional<Duration> newTimeout, Versionstamp version, Duration at) {
        if (observedAt != null) {
            marks.elapse(at.minus(observedAt));
        }
        observedAt = at;
        setTimeout(newTimeout);
        marks.mark(version, timeoutOrDefault().dividedBy(MARKS_PER_TIMEOUT_MAX));
        marks.forgetAllButNewestOlderThan(timeoutOrDefault());
    }

    @GuardedBy("this") private void decideDuty(TypeInUse now, Duration at, boolean takesFree) {
        if (takesFree && now.holder().isEmpty()) {
            otherLease = now;
            duty = Duty.TAKEOVER;
            loop.wakeUp();
        } else if (!now.equals(otherLease)) {
            otherLease = now;
            otherLeaseSince = at;
            duty = Duty.NONE;
            unclaimed = leaderCheck.unclaimed(now.next());
            if (unclaimed.isPresent()) {
                loop.wakeUp();
            }
        } else if (now.holder().isEmpty() || at.minus(otherLeaseSince).compareTo(leaseTime(timeoutOrDefault())) >= 0) {
            duty = Duty.TAKEOVER;
            loop.wakeUp();
        }
    }

    /**
     * {@return whether this process has to look at a lease again soon: nobody holds it, its holder has not taken up
     * another timeout, or seems not to renew it} The time since the last renewal is estimated from versions, of which
     * a database makes a million in a second. That only decides when to look: whether the lease has expired, the pauses
     * of this process say.
     */
    static boolean isUnattended(TypeInUse lease, long version) {
        return lease.holder().isEmpty()
                || lease.timeout()
                        .filter(timeout -> Duration.of(version - lease.renewedAt(), ChronoUnit.MICROS)
                                        .compareTo(leaseTime(timeout))
                                <= 0)
                        .isEmpty();
    }

    private static Duration leaseTime(Duration timeout) {
        return timeout.multipliedBy(LEASE_PERCENT).dividedBy(100);
    }

    /** {@return how long a process waits at most before it looks at the lease again that has to notice its end} */
    synchronized Duration betweenLooks() {
        return timeout.orElseGet(() -> policy.get().activityTimeout()).dividedBy(MARKS_PER_TIMEOUT);
    }

    /** Ends the use of the type in this process. */
    synchronized void outOfUse() {
        if (duty != Duty.HELD) {
            forgetType();
        }
    }

    @GuardedBy("this") private void forgetType() {
        duty = Duty.NONE;
        otherLease = null;
        observedAt = null;
        marks.forget();
    }

    @GuardedBy("this") private void setTimeout(Optional<Duration> newTimeout) {
        if (!newTimeout.equals(timeout)) {
            timeout = newTimeout;
            marks.forget();
        }
    }

    // While this process holds the lease

    /** The lease as a transaction leaves it. */
    private enum LeaseState {
        HELD_BY_ANOTHER,
        OUT_OF_USE,
        HELD
    }

    /**
     * The result of the transaction of a round.
     *
     * @param isQuiet whether no job ran, no job that may run waited, and none has changed since the last round
     * @param firstActivity the key of the first row in the activity index
     * @param mayRun whether a job may run
     * @param lastChange the stamp of the last change of a job
     * @param now the read version
     * @param next the first waiting job, if there is a leader to claim it
     */
    private record LeaseObservation(
            LeaseState state,
            boolean isQuiet,
            Optional<byte[]> firstActivity,
            boolean mayRun,
            Optional<ByteBuffer> lastChange,
            Optional<Duration> timeout,
            Versionstamp now,
            Optional<TypeInUse.NextJob> next) {}

    private CompletableFuture<Pause> round() {
        Optional<TypeInUse> expired;
        synchronized (this) {
            marks.elapse(pause.slept());
            pause = new MeasuredPause();
            if (duty == Duty.NONE) {
                Optional<TypeInUse.NextJob> job = unclaimed;
                unclaimed = Optional.empty();
                return wakeAllIfUnclaimed(job).thenApply(done -> Pause.untilWakeUp());
            }
            expired = duty == Duty.TAKEOVER ? Optional.ofNullable(otherLease) : Optional.empty();
        }
        boolean replaces = expired.filter(lease -> lease.holder().isPresent()).isPresent();
        int quiet = quietRounds + 1;
        return transactions
                .run(database, tx -> renewOrTakeLease(tx, expired, quiet >= QUIET_ROUNDS))
                .thenCompose(observation -> {
                    quietRounds = observation.isQuiet() ? quiet : 0;
                    lastChange = observation.lastChange();
                    return observation.state() == LeaseState.HELD
                            ? wakeAllIfUnclaimed(leaderCheck.unclaimed(observation.next()))
                                    .thenCompose(done -> act(observation))
                                    .thenCompose(done -> audit(observation))
                                    .thenApply(done -> pause(replaces))
                            : CompletableFuture.completedFuture(stop(observation.state()));
                });
    }

    private CompletableFuture<?> audit(LeaseObservation observation) {
        return observation.mayRun() ? activityIndexAudit.step() : CompletableFuture.completedFuture(observation);
    }

    private CompletableFuture<?> wakeAllIfUnclaimed(Optional<TypeInUse.NextJob> job) {
        return job.isPresent() ? leaderCheck.wakeAll(job.get()) : CompletableFuture.completedFuture(job);
    }

    private synchronized Pause stop(LeaseState state) {
        quietRounds = 0;
        if (state == LeaseState.OUT_OF_USE) {
            forgetType();
        } else {
            duty = Duty.NONE;
            otherLease = null;
        }
        return Pause.untilWakeUp();
    }

    /**
     * Renews or takes the lease, or ends the use of the type.
     *
     * @param expired the expired lease of another process
     * @param hasBeenQuiet whether the use of the type ends if no job runs or may run now
     */
    private CompletableFuture<LeaseObservation> renewOrTakeLease(
            Transaction tx, Optional<TypeInUse> expired, boolean hasBeenQuiet) {
        CompletableFuture<Optional<TypeInUse>> lease = TypeInUse.find(tx, keys);
        CompletableFuture<Optional<Duration>> storedTimeout = TypeTimeouts.get(tx, keys);
        long now = clock.instant().getEpochSecond();
        CompletableFuture<Optional<WaitingJob>> waiting = WaitingJob.first(tx, keys, layoutRow);
        CompletableFuture<Optional<ByteBuffer>> change = tx.snapshot()
                .get(FeedKeys.of(keys).watchesActivity())
                .thenApply(stamp -> Optional.ofNullable(stamp).map(ByteBuffer::wrap));
        CompletableFuture<Optional<byte[]>> firstActivity = ActivityIndex.firstKey(tx, keys);
        CompletableFuture<Boolean> mayRun = firstActivity.thenCombine(
                StateCounters.read(tx.snapshot(), keys), (first, counts) -> first.isPresent() || counts.running() != 0);
        CompletableFuture<Boolean> isQuiet = mayRun.thenCombine(
                        waiting,
                        (runs, first) -> !runs
                                && first.filter(job -> job.mayRunFrom() <= now).isEmpty())
                .thenCombine(change, (isEmpty, last) -> isEmpty && last.equals(lastChange));
        CompletableFuture<Optional<TypeInUse.NextJob>> next = IdleProcesses.leader(tx.snapshot(), keys)
                .thenCombine(
                        waiting,
                        (leader, first) -> leader.flatMap(token ->
                                first.map(job -> new TypeInUse.NextJob(token, job.jobId(), job.mayRunFrom()))));
        return CompletableFuture.allOf(lease, storedTimeout, isQuiet, next)
                .thenCombine(tx.getReadVersion(), (done, version) -> version)
                .thenCompose(version -> {
                    LeaseState state = leaseState(lease.join(), expired, hasBeenQuiet && isQuiet.join());
                    LeaseObservation observation = new LeaseObservation(
                            state,
                            isQuiet.join(),
                            firstActivity.join(),
                            mayRun.join(),
                            change.join(),
                            storedTimeout.join(),
                            IncompleteVersionstamps.upTo(version),
                            next.join());
                    if (state == LeaseState.HELD) {
                        new TypeInUse(keys.typeName(), token, storedTimeout.join(), version, next.join())
                                .write(tx, keys);
                    }
                    return state == LeaseState.OUT_OF_USE
                            ? TypeInUse.end(tx, keys).thenApply(done -> observation)
                            : CompletableFuture.completedFuture(observation);
                });
    }

    private LeaseState leaseState(Optional<TypeInUse> now, Optional<TypeInUse> expired, boolean isUnused) {
        boolean isOurs = now.filter(row -> row.holder().equals(token)).isPresent();
        boolean hasExpired = now.isPresent() && now.equals(expired);
        if (!isOurs && !hasExpired) {
            return LeaseState.HELD_BY_ANOTHER;
        }
        return isUnused ? LeaseState.OUT_OF_USE : LeaseState.HELD;
    }

    /**
     * Renews the lease if this process holds it, and returns whether it does. Writes no waiting job, because it
     * reads none.
     */
    private CompletableFuture<Boolean> renew(Transaction tx) {
        return TypeInUse.find(tx, keys).thenCombine(tx.getReadVersion(), (now, version) -> {
            Optional<TypeInUse> ours = now.filter(row -> row.holder().equals(token));
            ours.map(row -> new TypeInUse(keys.typeName(), token, row.timeout(), version, Optional.empty()))
                    .ifPresent(row -> row.write(tx, keys));
            return ours.isPresent();
        });
    }

    private CompletableFuture<?> act(LeaseObservation observation) {
        Optional<Versionstamp> silent;
        Duration age;
        synchronized (this) {
            duty = Duty.HELD;
            otherLease = null;
            observedAt = null;
            setTimeout(observation.timeout());
            if (timeout.isEmpty()) {
                return CompletableFuture.completedFuture(observation);
            }
            age = timeout.get();
            boolean hasFrequentRounds = age.dividedBy(MARKS_PER_TIMEOUT).compareTo(LONGEST_PAUSE) > 0;
            marks.mark(observation.now(), hasFrequentRounds ? age.dividedBy(MARKS_PER_TIMEOUT_MAX) : Duration.ZERO);
            silent = marks.takeOlderThan(age)
                    .filter(mark -> observation
                            .firstActivity()
                            .filter(first -> ActivityIndex.isSilentSince(keys, first, mark))
                            .isPresent());
        }
        return silent.isEmpty() ? CompletableFuture.completedFuture(observation) : requeueSilentJobs(silent.get(), age);
    }

    /** Puts back silent jobs. If this fails, the next round repeats it. */
    private CompletableFuture<?> requeueSilentJobs(Versionstamp silentSince, Duration age) {
        return silentJobs.requeue(silentSince).whenComplete((done, error) -> {
            if (error != null) {
                restoreMark(silentSince, age);
            }
        });
    }

    private synchronized void restoreMark(Versionstamp silentSince, Duration age) {
        marks.restore(silentSince, age);
    }

    /**
     * {@return the pause before the next round} The round after a process has replaced another is an additional one:
     * the leader may have died with it.
     */
    private synchronized Pause pause(boolean hasReplaced) {
        Duration wanted = timeout.map(t -> t.dividedBy(MARKS_PER_TIMEOUT)).orElse(INTERVAL_WITHOUT_TIMEOUT);
        Duration full = TimerDelays.jittered(environment, MeasuredPause.shorter(wanted, LONGEST_PAUSE), JITTER_PERCENT)
                .minus(additionalPause);
        additionalPause = hasReplaced
                ? MeasuredPause.shorter(wanted, LONGEST_PAUSE).dividedBy(PAUSES_PER_ADDITIONAL)
                : Duration.ZERO;
        return pause.sleep(environment, hasReplaced ? additionalPause : full);
    }
}
