package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.dependencies.ExpectedJob;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.Firing;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the jobs of schedules: the transaction that ends a schedule's current job adds the next, or the one that claims
 * it if jobs may overlap. So each time has one job, whatever process ends or claims the job before it, and no process
 * watches the schedules.
 */
public final class ScheduleFirings implements Settler {
    private static final Logger LOG = LoggerFactory.getLogger(ScheduleFirings.class);
    /** A transaction of 10,000,000 bytes has room for the data twice, and for the result of the job before. */
    public static final int DATA_BYTES_MAX = 1_000_000;

    private static final int PASSED_OVER_MAX = 10_000;
    private static final int READ_AT_ONCE_MAX = 500;

    private static final String SEPARATOR = "@";
    /** Follows the digits with which times begin. */
    private static final String AFTER_ALL_TIMES = ":";

    private final Keyspace keyspace;
    private final ScheduleTable table;
    private final InstantSource clock;
    private final RandomGenerator random;

    public ScheduleFirings(Keyspace keyspace, InstantSource clock, RandomGenerator random) {
        this.keyspace = keyspace;
        this.table = new ScheduleTable(keyspace);
        this.clock = clock;
        this.random = random;
    }

    /**
     * A job to add.
     *
     * @param name the schedule
     * @param row its row with the job as its current job
     * @param data the data of the job
     * @param isImmediate whether the job may run at once, whatever the times of the schedule
     */
    private record Plan(String name, ScheduleRow row, Payload data, boolean isImmediate) {
        ScheduleRow.Current job() {
            return Objects.requireNonNull(row.current());
        }

        /** {@return whether the job's time is the last that was done; its job may have been removed} */
        boolean isDone() {
            return !isByTheSecond() && job().time() == row.last().time();
        }

        /** {@return whether the job may have any time, a whole second} */
        private boolean isByTheSecond() {
            return isImmediate || row.definition().timing() instanceof Timing.FixedDelay;
        }

        OptionalLong timeAfter(long time) {
            return isByTheSecond()
                    ? OptionalLong.of(time + 1)
                    : row.definition().nextAfter(time);
        }

        Plan at(long time) {
            return new Plan(
                    name,
                    row.followedBy(new ScheduleRow.Current(jobId(name, time), time, false, job().at())),
                    data,
                    isImmediate);
        }
    }

    /** Adds the jobs that follow those that this transaction has ended or removed. */
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp) {
        List<SavedChange> ends = new ArrayList<>(0);
        for (SavedChange change : changes) {
            if (isFollowed(change)) {
                ends.add(change);
            }
        }
        if (ends.isEmpty()) {
            return NOTHING;
        }
        List<byte[]> keys = ends.stream()
                .map(end -> table.key(firing(end.before()).schedule()))
                .toList();
        return JobStore.of(tx).inOrder(keys, () -> {
            List<CompletableFuture<Optional<Plan>>> plans = ends.stream()
                    .filter(end -> !JobStore.isAddedAgain(tx, end.ref()))
                    .map(end -> planFollowing(tx, end))
                    .toList();
            return addAll(tx, plans);
        });
    }

    /** {@return whether a change ends or removes a job of a schedule, behind which none was added before} */
    private static boolean isFollowed(SavedChange change) {
        JobRow before = change.indexed();
        return before != null
                && before.options().firing() != null
                && before.options().firing().next() != Firing.Next.ADDED
                && before.state() != JobState.FINISHED
                && (change.event() == null || change.event().state() == JobState.FINISHED);
    }

    private CompletableFuture<?> addAll(Transaction tx, List<CompletableFuture<Optional<Plan>>> plans) {
        return Futures.presentOf(plans).thenCompose(present -> add(tx, present));
    }

    /** How another than its holder cancels a job, with a reason. */
    @FunctionalInterface
    public interface Cancellation {
        JobRow apply(JobRow before, String reason);
    }

    /**
     * Adds the jobs that follow those that this transaction has claimed, if the schedules of these jobs say so. It
     * cancels the jobs before them if the schedules say that.
     *
     * @param claims claims for the first time of jobs of one type
     */
    public CompletableFuture<?> addFollowingClaimed(Transaction tx, List<RowChange> claims, Cancellation cancellation) {
        List<byte[]> keys = claims.stream()
                .map(claim -> table.key(firing(claim.before()).schedule()))
                .toList();
        return JobStore.of(tx).inOrder(keys, () -> {
            List<CompletableFuture<Optional<Plan>>> plans = claims.stream()
                    .map(claim -> planFollowingClaimed(tx, claim, cancellation))
                    .toList();
            return addAll(tx, plans);
        });
    }

    private CompletableFuture<Optional<Plan>> planFollowingClaimed(
            Transaction tx, RowChange claim, Cancellation cancellation) {
        String name = firing(claim.before()).schedule();
        CompletableFuture<Payload> data = table.readData(tx, name);
        return table.findReadable(tx, claim.ref().keys(), name).thenCompose(found -> {
            Optional<ScheduleRow> current = found.filter(row -> isCurrent(row, claim.ref()));
            return current.map(row -> cancelFormer(tx, row, claim.ref(), cancellation))
                    .orElseGet(() -> CompletableFuture.completedFuture(null))
                    .thenCombine(
                            data,
                            (done, json) -> current.map(row -> row.begun(now()))
                                    .flatMap(row -> plan(tx, name, row, () -> nextAfterClaim(name, row), json)));
        });
    }

    /** Cancels the job before one that is claimed, if the schedule says so and that has not ended. */
    private CompletableFuture<@Nullable Void> cancelFormer(
            Transaction tx, ScheduleRow row, JobRef claimed, Cancellation cancellation) {
        String former = row.former();
        if (former == null || row.definition().overlap() != ScheduleRow.Overlap.CANCEL) {
            return CompletableFuture.completedFuture(null);
        }
        JobRef ref = keyspace.job(claimed.keys().typeName(), former);
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(ref, () -> Dependents.awaitedBy(tx, keyspace, ref), (job, awaited) -> {
            if (job.isEmpty() || job.get().state() == JobState.FINISHED) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<@Nullable Void> unlinked = Standing.of(job.get()).waitsForDependencies()
                    ? awaited.unlinkAll(tx)
                    : CompletableFuture.completedFuture(null);
            return unlinked.thenApply(done -> {
                jobs.save(ref, job.get(), cancellation.apply(job.get(), "The schedule has started " + claimed.id()));
                return null;
            });
        });
    }

    private OptionalLong nextAfterClaim(String name, ScheduleRow row) {
        long now = now();
        return next(name, row, now, now);
    }

    private static Firing firing(@Nullable JobRow job) {
        return Objects.requireNonNull(Objects.requireNonNull(job).options().firing());
    }

    /**
     * {@return the job that follows one that has ended, if that was a current job} If no job follows, it writes the row
     * of the schedule.
     */
    private CompletableFuture<Optional<Plan>> planFollowing(Transaction tx, SavedChange end) {
        String name = firing(end.before()).schedule();
        CompletableFuture<Payload> data = table.readData(tx, name);
        return table.findReadable(tx, end.ref().keys(), name)
                .thenCombine(
                        data,
                        (row, json) -> row.filter(found -> isCurrent(found, end.ref()))
                                .flatMap(found -> planFollowing(tx, name, found, end, json)));
    }

    private static boolean isCurrent(ScheduleRow row, JobRef ref) {
        return row.current() != null
                && row.current().jobId().equals(ref.id())
                && row.definition().typeName().equals(ref.keys().typeName());
    }

    private Optional<Plan> planFollowing(
            Transaction tx, String name, ScheduleRow before, SavedChange end, Payload data) {
        if (before.isRemoved()) {
            table.remove(tx, name);
            return Optional.empty();
        }
        ScheduleRow row = before.ended(now());
        Payload passed = passedOn(tx, name, before, end).orElse(data);
        return plan(tx, name, row, () -> nextAfterEnd(name, row, end), passed);
    }

    /** {@return the job that follows; if there is none, it writes the row of the schedule} */
    private Optional<Plan> plan(
            Transaction tx, String name, ScheduleRow row, Supplier<OptionalLong> next, Payload data) {
        OptionalLong time = row.runsAgain() ? OptionalLong.of(now()) : next.get();
        if (time.isEmpty()) {
            table.write(tx, name, row.followedBy(null));
            return Optional.empty();
        }
        return Optional.of(plan(name, row, time.getAsLong(), data, row.runsAgain()));
    }

    private CompletableFuture<Boolean> hasJob(Transaction tx, String name, ScheduleRow row, long time) {
        return JobTable.find(tx.snapshot(), ref(name, row, time)).thenApply(Optional::isPresent);
    }

    private JobRef ref(String name, ScheduleRow row, long time) {
        return keyspace.job(row.definition().typeName(), jobId(name, time));
    }

    /** {@return the result of a job that has ended, as the data of those that follow, if the schedule passes it on} */
    private Optional<Payload> passedOn(Transaction tx, String name, ScheduleRow row, SavedChange end) {
        ClaimEnd claimEnd = end.event() == null ? null : end.event().claimEnd();
        if (!row.definition().passesResult()
                || Objects.requireNonNull(row.current()).isOutdated()
                || claimEnd == null
                || claimEnd.result() == null) {
            return Optional.empty();
        }
        Payload result = Payload.of(claimEnd.result().known().orElseThrow());
        if (result.bytes() > DATA_BYTES_MAX) {
            LOG.warn(
                    "The result of {} has {} bytes. The next job of schedule {} gets the data of this one instead:"
                            + " the data of a schedule has at most {} bytes.",
                    end.ref().id(),
                    result.bytes(),
                    name,
                    DATA_BYTES_MAX);
            return Optional.empty();
        }
        table.writeData(tx, name, result);
        return Optional.of(result);
    }

    private OptionalLong nextAfterEnd(String name, ScheduleRow row, SavedChange end) {
        ClaimInfo claim = Objects.requireNonNull(end.before()).claimInfo();
        long now = now(row.definition());
        long began = claim.number() == 0 ? now : Math.floorDiv(claim.since(), 1000L);
        return next(name, row, began, now);
    }

    /** A process that does not know the time zone must not keep the job from ending. */
    private static OptionalLong next(String name, ScheduleRow row, long began, long now) {
        if (row.isPaused()) {
            return OptionalLong.empty();
        }
        try {
            return row.next(began, now);
        } catch (DateTimeException e) {
            LOG.warn(
                    "Schedule {} has no next job: {}. Put it again on a process that knows the zone.",
                    name,
                    RootCauses.message(e));
            return OptionalLong.empty();
        }
    }

    /** {@return the present time, in seconds since the epoch} */
    public long now() {
        return clock.instant().getEpochSecond();
    }

    /** {@return the present time; rounded up for a pause, which must not be shorter than asked for} */
    private long now(ScheduleRow.Definition definition) {
        return definition.timing() instanceof Timing.FixedDelay ? ScheduledTimes.toSeconds(clock.instant()) : now();
    }

    private Plan plan(String name, ScheduleRow row, long time, Payload data, boolean isImmediate) {
        ScheduleRow.Current next = new ScheduleRow.Current(jobId(name, time), time, false, now());
        return new Plan(name, row.followedBy(next), data, isImmediate);
    }

    private static String jobId(String name, long time) {
        return name + SEPARATOR + Instant.ofEpochSecond(time);
    }

    /** Adds the current job of a schedule for its first time from now, and writes the row of the schedule. */
    public CompletableFuture<ScheduleRow> addFirst(Transaction tx, String name, ScheduleRow row, Payload data) {
        return addAt(tx, name, row, row.first(now(row.definition())), data);
    }

    /**
     * Adds the current job of a schedule, and writes the row of the schedule.
     *
     * @param time the firing time, or empty if the schedule has ended
     */
    private CompletableFuture<ScheduleRow> addAt(
            Transaction tx, String name, ScheduleRow row, OptionalLong time, Payload data) {
        if (time.isEmpty()) {
            ScheduleRow ended = row.followedBy(null);
            table.write(tx, name, ended);
            return CompletableFuture.completedFuture(ended);
        }
        return add(tx, List.of(plan(name, row, time.getAsLong(), data, false))).thenApply(rows -> rows.get(0));
    }

    /** Adds a current job that may run at once, and writes the row of the schedule. */
    public CompletableFuture<ScheduleRow> addNow(Transaction tx, String name, ScheduleRow row, Payload data) {
        return add(tx, List.of(plan(name, row, now(), data, true))).thenApply(rows -> rows.get(0));
    }

    /**
     * Adds jobs, and writes the rows of their schedules. A firing time that is done is passed over: its job exists, or
     * it is the last that was done. So neither a schedule that was removed and put again, nor a clock that goes back,
     * repeats what was done.
     *
     * @return the rows
     */
    private CompletableFuture<List<ScheduleRow>> add(Transaction tx, List<Plan> plans) {
        List<JobRef> refs = plans.stream().map(this::ref).toList();
        refs.stream().map(JobRef::keys).distinct().forEach(type -> {
            var unused = TypeInUse.prefetch(tx, type);
        });
        JobStore jobs = JobStore.of(tx);
        return jobs.editAll(refs, () -> ReleaseOutbox.expectedOfAll(tx, refs), (before, groups) -> {
                    List<RowChange> changes = new ArrayList<>(refs.size());
                    List<CompletableFuture<ScheduleRow>> rows = new ArrayList<>(refs.size());
                    for (int i = 0; i < refs.size(); i++) {
                        Plan plan = plans.get(i);
                        JobRef ref = refs.get(i);
                        if (before.get(i).isPresent() || plan.isDone()) {
                            rows.add(passOver(tx, plan));
                            continue;
                        }
                        ReleaseOutbox.addReadConflict(tx, ref);
                        changes.add(new RowChange(ref, null, job(plan, groups.getOrDefault(ref, ExpectedJob.NONE))));
                        table.write(tx, plan.name(), plan.row());
                        rows.add(CompletableFuture.completedFuture(plan.row()));
                    }
                    jobs.saveAll(changes);
                    return CompletableFuture.completedFuture(rows);
                })
                .thenCompose(Futures::listOf);
    }

    /** {@return the last jobs of a schedule that are kept, by id, the last one first} */
    public static CompletableFuture<Map<String, JobRow>> lastJobs(
            ReadTransaction tx, TypeKeys keys, String name, int limit) {
        return JobTable.lastBetween(tx, keys, name + SEPARATOR, name + SEPARATOR + AFTER_ALL_TIMES, limit);
    }

    private JobRef ref(Plan plan) {
        return ref(plan.name(), plan.row(), plan.job().time());
    }

    /** Adds the job of a plan for the next time without a job. A clock that was ahead may have left many of them. */
    private CompletableFuture<ScheduleRow> passOver(Transaction tx, Plan plan) {
        return firstFree(tx, plan, plan.job().time(), 1, PASSED_OVER_MAX).thenCompose(time -> {
            if (time.isEmpty()) {
                ScheduleRow ended = plan.row().followedBy(null);
                table.write(tx, plan.name(), ended);
                return CompletableFuture.completedFuture(ended);
            }
            return add(tx, List.of(plan.at(time.getAsLong()))).thenApply(rows -> rows.get(0));
        });
    }

    /**
     * {@return the first time after another that has no job} Reads more and more times at once.
     *
     * @param count how many times to read at once
     * @param most after how many times the one after the last job is taken, whether there is one before it or not
     */
    private CompletableFuture<OptionalLong> firstFree(Transaction tx, Plan plan, long after, int count, int most) {
        List<Long> times = new ArrayList<>();
        OptionalLong next = plan.timeAfter(after);
        while (next.isPresent() && times.size() < count) {
            times.add(next.getAsLong());
            next = plan.timeAfter(next.getAsLong());
        }
        if (times.isEmpty()) {
            return CompletableFuture.completedFuture(OptionalLong.empty());
        }
        return Futures.listOf(times.stream()
                        .map(time -> hasJob(tx, plan.name(), plan.row(), time))
                        .toList())
                .thenCompose(taken -> {
                    int free = taken.indexOf(false);
                    if (free >= 0) {
                        return CompletableFuture.completedFuture(OptionalLong.of(times.get(free)));
                    }
                    long last = times.get(times.size() - 1);
                    return most > count
                            ? firstFree(tx, plan, last, Math.min(2 * count, READ_AT_ONCE_MAX), most - count)
                            : afterLastJob(tx, plan, last);
                });
    }

    /** {@return the first time after all jobs of a schedule that are kept: ids are in the order of their times} */
    private CompletableFuture<OptionalLong> afterLastJob(Transaction tx, Plan plan, long after) {
        JobRef from = ref(plan.name(), plan.row(), after);
        return JobTable.lastIdBetween(tx, from, plan.name() + SEPARATOR + AFTER_ALL_TIMES)
                .thenApply(last -> plan.timeAfter(Math.max(
                        after, last.map(id -> timeIn(id, plan.name())).orElse(after))));
    }

    /** {@return the firing time in the id of a job; the job may have been added by a user} */
    private static long timeIn(String jobId, String schedule) {
        try {
            return Instant.parse(jobId.substring(schedule.length() + SEPARATOR.length()))
                    .getEpochSecond();
        } catch (DateTimeParseException e) {
            return 0;
        }
    }

    private JobRow job(Plan plan, ExpectedJob expected) {
        JobOptions options = options(plan.name(), plan.row()).withDependencies(expected.dependencies());
        return JobRow.added(plan.data(), scheduledTime(plan.row(), plan.job().time()), options);
    }

    /** {@return a current job that waits, as the changed row of its schedule asks for it} */
    public JobRow changed(JobRow waiting, String name, ScheduleRow row, Payload data) {
        long time = Objects.requireNonNull(row.current()).time();
        JobOptions options = options(name, row);
        return waiting.enqueued(data, scheduledTime(row, time))
                .withOptions(waiting.options().withOptions(options).firedBy(options.firing()));
    }

    private JobOptions options(String name, ScheduleRow row) {
        ScheduleRow.Definition definition = row.definition();
        Firing.Next next = definition.overlap().addsAtClaim() ? Firing.Next.AT_CLAIM : Firing.Next.AT_END;
        long time = Objects.requireNonNull(row.current()).time();
        JobKeys keys = keys(definition, time);
        return JobOptions.withOptions(definition.priority(), clock.millis(), definition.retry(), keys)
                .firedBy(new Firing(name, time, next));
    }

    private JobKeys keys(ScheduleRow.Definition definition, long time) {
        JobKeys declared = definition.keys();
        JobKeys placed = declared.sequence() == null ? declared : declared.atPlace(random.nextLong());
        return declared.startBefore() == JobKeys.NO_DEADLINE
                ? placed
                : placed.startingBefore((time + definition.jitter()) * 1_000 + declared.startBefore());
    }

    /** {@return the scheduled time: with jitter, unless the job may run at once} */
    private long scheduledTime(ScheduleRow row, long time) {
        long jitter = row.definition().jitter();
        return jitter == 0 || time <= now() ? time : time + random.nextLong(jitter + 1);
    }
}
