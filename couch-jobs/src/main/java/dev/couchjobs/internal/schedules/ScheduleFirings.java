package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.Firing;
import dev.couchjobs.internal.data.JobOptions;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.WaitCondition;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Adds the jobs of schedules: the transaction that ends a schedule's current job adds the next. So each time has one
 * job, whatever process ends the job before it, and no process watches the schedules.
 */
public final class ScheduleFirings {
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
     */
    private record Plan(String name, ScheduleRow row, Payload data) {
        ScheduleRow.Current job() {
            return Objects.requireNonNull(row.current());
        }
    }

    /** Adds the jobs that follow those that this transaction has ended. */
    public CompletableFuture<@Nullable Void> moveOn(Transaction tx) {
        List<RowChange> ends = JobTransaction.takeEndedFirings(tx);
        if (ends.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<CompletableFuture<Optional<Plan>>> plans =
                ends.stream().map(end -> follower(tx, end)).toList();
        return CompletableFuture.allOf(plans.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> add(
                        tx, plans.stream().flatMap(plan -> plan.join().stream()).toList()))
                .thenApply(done -> null);
    }

    /** {@return the job that follows one that has ended, if that was a current job and there is another time} */
    private CompletableFuture<Optional<Plan>> follower(Transaction tx, RowChange end) {
        JobRow ended = Objects.requireNonNull(end.before());
        Firing firing = Objects.requireNonNull(ended.options().firing());
        String name = firing.schedule();
        CompletableFuture<Payload> data = table.readData(tx, name);
        return table.findReadable(tx, end.ref().keys(), name)
                .thenCombine(
                        data,
                        (row, json) -> row.filter(found -> isCurrent(found, end.ref()))
                                .flatMap(found -> plan(tx, name, found, next(found, firing, ended), json)));
    }

    private static boolean isCurrent(ScheduleRow row, JobRef ref) {
        return row.current() != null
                && row.current().jobId().equals(ref.id())
                && row.definition().typeName().equals(ref.keys().typeName());
    }

    private OptionalLong next(ScheduleRow row, Firing firing, JobRow ended) {
        long now = now();
        if (row.again()) {
            return OptionalLong.of(now);
        }
        if (row.paused()) {
            return OptionalLong.empty();
        }
        long began = ended.claimInfo().number() == 0
                ? now
                : Math.floorDiv(ended.claimInfo().since(), 1000L);
        return row.definition().next(firing.time(), began, now);
    }

    /** {@return the present time, in seconds since the epoch} */
    public long now() {
        return clock.instant().getEpochSecond();
    }

    /** {@return the next current job of a schedule; without a time the schedule has none, and its row is written} */
    private Optional<Plan> plan(Transaction tx, String name, ScheduleRow row, OptionalLong time, Payload data) {
        if (time.isEmpty()) {
            table.write(tx, name, row.with(null));
            return Optional.empty();
        }
        String jobId = name + "@" + Instant.ofEpochSecond(time.getAsLong());
        return Optional.of(new Plan(name, row.with(new ScheduleRow.Current(jobId, time.getAsLong())), data));
    }

    /**
     * Adds the current job of a schedule, and writes the schedule's row.
     *
     * @param time the firing time, or empty if the schedule has ended
     * @return the row
     */
    public CompletableFuture<ScheduleRow> fire(
            Transaction tx, String name, ScheduleRow row, OptionalLong time, Payload data) {
        return plan(tx, name, row, time, data)
                .map(plan -> add(tx, List.of(plan)).thenApply(rows -> rows.get(0)))
                .orElseGet(() -> CompletableFuture.completedFuture(row.with(null)));
    }

    /**
     * Adds jobs. A firing time whose job exists already is passed over: a schedule that was removed and put again does
     * not repeat what it has done.
     *
     * @return the rows of their schedules
     */
    private CompletableFuture<List<ScheduleRow>> add(Transaction tx, List<Plan> plans) {
        List<JobRef> refs = plans.stream()
                .map(plan -> keyspace.job(
                        plan.row().definition().typeName(), plan.job().jobId()))
                .toList();
        refs.stream().map(JobRef::keys).distinct().forEach(type -> {
            var unused = TypeInUse.prefetch(tx, type);
        });
        JobTransaction jobs = JobTransaction.of(tx);
        return jobs.editAll(refs, () -> ReleaseOutbox.expectedOfAll(tx, refs), (before, groups) -> {
                    List<RowChange> changes = new ArrayList<>(refs.size());
                    List<CompletableFuture<ScheduleRow>> rows = new ArrayList<>(refs.size());
                    for (int i = 0; i < refs.size(); i++) {
                        Plan plan = plans.get(i);
                        JobRef ref = refs.get(i);
                        if (before.get(i).isPresent()) {
                            rows.add(pass(tx, plan));
                            continue;
                        }
                        ReleaseOutbox.addReadConflict(tx, ref);
                        changes.add(new RowChange(
                                ref, null, job(plan, groups.getOrDefault(ref, DependencyState.NO_GROUP))));
                        table.write(tx, plan.name(), plan.row());
                        rows.add(CompletableFuture.completedFuture(plan.row()));
                    }
                    jobs.saveAll(changes);
                    return CompletableFuture.completedFuture(rows);
                })
                .thenCompose(rows -> CompletableFuture.allOf(rows.toArray(CompletableFuture<?>[]::new))
                        .thenApply(done ->
                                rows.stream().map(CompletableFuture::join).toList()));
    }

    private CompletableFuture<ScheduleRow> pass(Transaction tx, Plan plan) {
        OptionalLong next = plan.row().definition().nextAfter(plan.job().time());
        return fire(tx, plan.name(), plan.row(), next, plan.data());
    }

    private JobRow job(Plan plan, long group) {
        ScheduleRow.Definition definition = plan.row().definition();
        JobOptions options = JobOptions.withOptions(definition.priority(), clock.millis(), definition.retry())
                .withDependencies(DependencyState.NONE.withGroup(WaitCondition.SUCCESS, group))
                .firedBy(new Firing(plan.name(), plan.job().time()));
        long delay = definition.jitter() == 0 ? 0 : random.nextLong(definition.jitter() + 1);
        return JobRow.added(plan.data(), plan.job().time() + delay, options);
    }
}
