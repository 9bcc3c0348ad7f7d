package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.ActivityIndex;
import dev.couchjobs.internal.data.IdleProcesses;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.StateCounters;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.InstantSource;
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
 * <p>Four times in every activity timeout T the monitor records the database's read version. A job whose last sign of
 * life is older than a version that was recorded T ago has been silent for T, independent of any clock, and is put
 * back: between T and 1.5 T after its last sign of life, plus the time of one transaction. Any number of monitors may
 * run on any nodes. A job is put back only if it still runs under the sequence that the monitor read, so two monitors
 * put it back once.
 *
 * <p>The monitor does so while the type is in use and this process holds the type's monitor lease (rfc/018). Each look
 * renews the lease. While another process holds the lease, this monitor only records read versions, at the same rate,
 * when {@link MonitorLeases} looks. It takes the lease when the lease was not renewed for longer than two looks are
 * apart, and continues with the versions that it has recorded.
 *
 * <p>The monitor also checks that jobs are taken ({@link LeaderCheck}), and audits the leases of one page of jobs in
 * each round ({@link LeaseAudit}). The use of the type ends after four looks in which no job ran and no job that may
 * run waited.
 */
final class ActivityMonitor implements AutoCloseable {
    private static final Duration WITHOUT_TIMEOUT_CHECK_EVERY = Duration.ofSeconds(5);
    static final int MARKS_PER_TIMEOUT = 4;
    /** The longest pause, because the timeout may be shortened meanwhile. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    /** The shortest distance between two recorded versions: the timeout of another type may cause more looks. */
    private static final int MARKS_OF_OTHERS_PER_TIMEOUT = 32;
    /** A lease expires after this part of a timeout without renewal; renewals are up to 30 percent apart. */
    private static final int LEASE_PERCENT = 35;
    /** The use of a type ends after this number of looks without a job that runs or may run. */
    private static final int QUIET_LOOKS = 4;

    private static final int JITTER_PERCENT = 20;

    private enum Duty {
        /** Another process holds the lease, or the type is not in use. */
        NONE,
        /** The lease of another process has expired, or no process holds the lease. */
        WANTED,
        /** This process holds the lease, to its own knowledge. */
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
    private final LeaseAudit audit;
    private final LeaderCheck leaderCheck;

    @GuardedBy("this") private Duty duty = Duty.NONE;

    @GuardedBy("this") private final AgedVersions marks = new AgedVersions();

    @GuardedBy("this") private Optional<Duration> timeout = Optional.empty();
    /** The lease of another process as last read, and how long this process had slept when it first read it. */
    @GuardedBy("this") private @Nullable TypeInUse seen;

    @GuardedBy("this") private Duration seenSince = Duration.ZERO;
    /** A job that the leader does not take, according to the lease of another process. */
    @GuardedBy("this") private Optional<TypeInUse.NextJob> stuck = Optional.empty();
    /** How long this process had slept at its last look, if it recorded versions then. */
    @GuardedBy("this") private @Nullable Duration observedAt;

    // Used by one round at a time.
    private MeasuredPause pause = MeasuredPause.NONE;
    private int quietLooks;
    /** The first waiting job of the last look. */
    private Optional<String> waitedFirst = Optional.empty();

    /**
     * A monitor that does nothing until its type is in use.
     *
     * @param token identifies this process in all its monitors
     * @param policy supplies the job type whose retry policy applies to jobs of silent processors
     */
    ActivityMonitor(Instance instance, String typeName, long token, Supplier<JobType<?, ?>> policy) {
        this.token = OptionalLong.of(token);
        this.database = instance.database();
        this.environment = instance.environment();
        this.clock = instance.clock();
        Keyspace keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("monitor", typeName);
        this.keys = keyspace.type(typeName);
        this.silentJobs = new SilentJobs(instance, transactions, keys, policy, this::renew);
        this.audit = new LeaseAudit(database, transactions, keyspace, keys);
        this.leaderCheck = new LeaderCheck(instance, transactions, keys);
        this.loop = new Loop("activity monitor of " + typeName, environment, this::round);
    }

    @Override
    public void close() {
        loop.close();
    }

    // While another process holds the lease

    /** {@return whether {@link #observe} needs the type's timeout} */
    synchronized boolean isToLearnTimeout(TypeInUse now) {
        return !now.holder().equals(token)
                && (observedAt == null || now.timeout().isEmpty());
    }

    /**
     * Observes the lease.
     *
     * @param learnt the timeout, if it was read
     * @param version the read version of the look
     * @param at how long this process has slept in all
     * @return the timeout within which another process has to renew the lease; empty if this process holds it
     */
    synchronized Optional<Duration> observe(
            TypeInUse now, Optional<Optional<Duration>> learnt, Versionstamp version, Duration at) {
        if (now.holder().equals(token)) {
            if (duty != Duty.HELD) {
                duty = Duty.HELD;
                observedAt = null;
                loop.wakeUp();
            }
            return Optional.empty();
        }
        if (duty == Duty.HELD) { // the next look finds this out, and then this method is no longer called
            loop.wakeUp();
        } else {
            mark(learnt.orElse(now.equals(seen) ? timeout : now.timeout()), version, at);
            decideDuty(now, at);
        }
        return Optional.of(lease());
    }

    @GuardedBy("this") private Duration lease() {
        return timeout.orElse(WITHOUT_TIMEOUT_CHECK_EVERY.multipliedBy(MARKS_PER_TIMEOUT));
    }

    @GuardedBy("this") private void mark(Optional<Duration> known, Versionstamp version, Duration at) {
        if (observedAt != null) {
            marks.elapse(at.minus(observedAt));
        }
        observedAt = at;
        learn(known);
        marks.mark(version, lease().dividedBy(MARKS_OF_OTHERS_PER_TIMEOUT));
        marks.forgetAllButNewestOlderThan(lease());
    }

    @GuardedBy("this") private void decideDuty(TypeInUse now, Duration at) {
        if (!now.equals(seen)) {
            seen = now;
            seenSince = at;
            duty = Duty.NONE;
            stuck = leaderCheck.stuck(now.next());
            if (stuck.isPresent()) {
                loop.wakeUp();
            }
        } else if (now.holder().isEmpty()
                || at.minus(seenSince)
                                .compareTo(lease().multipliedBy(LEASE_PERCENT).dividedBy(100))
                        >= 0) {
            duty = Duty.WANTED;
            loop.wakeUp();
        }
    }

    /** Ends the use of the type in this process. */
    synchronized void outOfUse() {
        if (duty != Duty.HELD) {
            rest();
        }
    }

    @GuardedBy("this") private void rest() {
        duty = Duty.NONE;
        seen = null;
        observedAt = null;
        marks.forget();
    }

    @GuardedBy("this") private void learn(Optional<Duration> known) {
        if (!known.equals(timeout)) {
            timeout = known;
            marks.forget();
        }
    }

    // While this process holds the lease

    private enum Found {
        HELD_BY_ANOTHER,
        OUT_OF_USE,
        HELD
    }

    private record Look(
            Found found,
            boolean isQuiet,
            Optional<String> waitsFirst,
            Optional<Duration> timeout,
            Versionstamp now,
            Optional<TypeInUse.NextJob> next) {}

    private CompletableFuture<Pause> round() {
        Optional<TypeInUse> expired;
        synchronized (this) {
            marks.elapse(pause.slept());
            pause = new MeasuredPause();
            if (duty == Duty.NONE) {
                Optional<TypeInUse.NextJob> job = stuck;
                stuck = Optional.empty();
                return wakeAllIfStuck(job).thenApply(done -> Pause.untilWakeUp());
            }
            expired = duty == Duty.WANTED ? Optional.ofNullable(seen) : Optional.empty();
        }
        int quiet = quietLooks + 1;
        return transactions
                .run(database, tx -> look(tx, expired, quiet >= QUIET_LOOKS))
                .thenCompose(look -> {
                    quietLooks = look.isQuiet() ? quiet : 0;
                    waitedFirst = look.waitsFirst();
                    return look.found() == Found.HELD
                            ? wakeAllIfStuck(leaderCheck.stuck(look.next()))
                                    .thenCompose(done -> act(look))
                                    .thenCompose(done -> audit.step())
                                    .thenApply(done -> pause())
                            : CompletableFuture.completedFuture(stop(look.found()));
                });
    }

    private CompletableFuture<?> wakeAllIfStuck(Optional<TypeInUse.NextJob> job) {
        return job.isPresent() ? leaderCheck.wakeAll(job.get()) : CompletableFuture.completedFuture(job);
    }

    private synchronized Pause stop(Found found) {
        quietLooks = 0;
        if (found == Found.OUT_OF_USE) {
            rest();
        } else {
            duty = Duty.NONE;
            seen = null;
        }
        return Pause.untilWakeUp();
    }

    /**
     * Renews or takes the lease.
     *
     * @param expired the expired lease of another process
     * @param isLong whether the use of the type ends if no job runs or may run now
     */
    private CompletableFuture<Look> look(Transaction tx, Optional<TypeInUse> expired, boolean isLong) {
        CompletableFuture<Optional<TypeInUse>> lease = TypeInUse.find(tx, keys);
        CompletableFuture<Optional<Duration>> limit = TypeTimeouts.get(tx, keys);
        long now = clock.instant().getEpochSecond();
        CompletableFuture<Optional<QueueEntry>> waiting = WaitingJobs.first(tx, keys);
        CompletableFuture<Boolean> isQuiet = ActivityIndex.isEmpty(tx, keys)
                .thenCombine(StateCounters.read(tx.snapshot(), keys), (empty, counts) -> empty && counts.running() == 0)
                .thenCombine(
                        waiting,
                        (nothingRuns, first) -> nothingRuns
                                && first.filter(job -> WaitingJobs.mayRunFrom(job) <= now)
                                        .isEmpty()
                                && first.map(QueueEntry::jobId).equals(waitedFirst));
        CompletableFuture<Optional<TypeInUse.NextJob>> next = IdleProcesses.leader(tx.snapshot(), keys)
                .thenCombine(
                        waiting,
                        (leader, first) -> leader.flatMap(token -> first.map(
                                job -> new TypeInUse.NextJob(token, job.jobId(), WaitingJobs.mayRunFrom(job)))));
        return CompletableFuture.allOf(lease, limit, isQuiet, next)
                .thenCombine(tx.getReadVersion(), (done, version) -> version)
                .thenCompose(version -> {
                    Found found = found(lease.join(), expired, isLong && isQuiet.join());
                    Look look = new Look(
                            found,
                            isQuiet.join(),
                            waiting.join().map(QueueEntry::jobId),
                            limit.join(),
                            IncompleteVersionstamps.upTo(version),
                            next.join());
                    if (found == Found.HELD) {
                        new TypeInUse(keys.typeName(), token, limit.join(), version, next.join()).write(tx, keys);
                    }
                    return found == Found.OUT_OF_USE
                            ? TypeInUse.end(tx, keys).thenApply(done -> look)
                            : CompletableFuture.completedFuture(look);
                });
    }

    private Found found(Optional<TypeInUse> now, Optional<TypeInUse> expired, boolean isUnused) {
        boolean isOurs = now.filter(row -> row.holder().equals(token)).isPresent();
        boolean hasExpired = now.isPresent() && now.equals(expired);
        if (!isOurs && !hasExpired) {
            return Found.HELD_BY_ANOTHER;
        }
        return isUnused ? Found.OUT_OF_USE : Found.HELD;
    }

    /**
     * Renews the lease if this process holds it, and returns whether it does. Writes no waiting job: only a look reads
     * one.
     */
    private CompletableFuture<Boolean> renew(Transaction tx) {
        return TypeInUse.find(tx, keys).thenCombine(tx.getReadVersion(), (now, version) -> {
            Optional<TypeInUse> ours = now.filter(row -> row.holder().equals(token));
            ours.map(row -> new TypeInUse(keys.typeName(), token, row.timeout(), version, Optional.empty()))
                    .ifPresent(row -> row.write(tx, keys));
            return ours.isPresent();
        });
    }

    private CompletableFuture<?> act(Look look) {
        Optional<Versionstamp> silent;
        Duration age;
        synchronized (this) {
            duty = Duty.HELD;
            seen = null;
            observedAt = null;
            learn(look.timeout());
            if (timeout.isEmpty()) {
                return CompletableFuture.completedFuture(look);
            }
            age = timeout.get();
            boolean looksOften = age.dividedBy(MARKS_PER_TIMEOUT).compareTo(LONGEST_PAUSE) > 0;
            marks.mark(look.now(), looksOften ? age.dividedBy(MARKS_OF_OTHERS_PER_TIMEOUT) : Duration.ZERO);
            silent = marks.takeOlderThan(age);
        }
        return silent.isEmpty() ? CompletableFuture.completedFuture(look) : sweepOrPutBack(silent.get(), age);
    }

    /** The next round repeats a failed sweep, however soon it comes. */
    private CompletableFuture<?> sweepOrPutBack(Versionstamp silentSince, Duration age) {
        return silentJobs.requeue(silentSince).whenComplete((done, error) -> {
            if (error != null) {
                requeue(silentSince, age);
            }
        });
    }

    private synchronized void requeue(Versionstamp silentSince, Duration age) {
        marks.putBack(silentSince, age);
    }

    private synchronized Pause pause() {
        Duration wanted = timeout.map(t -> t.dividedBy(MARKS_PER_TIMEOUT)).orElse(WITHOUT_TIMEOUT_CHECK_EVERY);
        Duration full = wanted.compareTo(LONGEST_PAUSE) < 0 ? wanted : LONGEST_PAUSE;
        return pause.sleep(environment, TimerDelays.jittered(environment, full, JITTER_PERCENT));
    }
}
