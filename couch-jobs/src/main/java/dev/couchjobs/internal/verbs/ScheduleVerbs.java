package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.ScheduleNotFoundException;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.schedules.ScheduleFirings;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.schedules.ScheduleRow;
import dev.couchjobs.internal.schedules.ScheduleTable;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** The verbs of schedules. Each leaves the same state if it runs twice. */
public final class ScheduleVerbs {
    private static final int COUNT_MAX = 100;

    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final LayoutRow layout;
    private final ScheduleTable table;
    private final ScheduleFirings firings;
    private final RandomGenerator random;

    public ScheduleVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.layout = new LayoutRow(keyspace);
        this.table = new ScheduleTable(keyspace);
        this.random = instance.environment().random();
        this.firings = new ScheduleFirings(keyspace, instance.clock(), random);
    }

    public CompletableFuture<ScheduleInfo> put(TransactionContext context, ScheduleRequest request) {
        String name = request.name();
        JobType<?, ?> type = request.job().type();
        Payload data = codec.toStored(type, name, json(request.job(), name));
        ScheduleRow.Definition definition = request.passesResult()
                ? request.definition().passingResult(digest(request.job(), name))
                : request.definition();
        return inOrder("put schedule", context, name, tx -> {
                    TypeKeys keys = keyspace.type(type.name());
                    CompletableFuture<?> allowed = TypeTimeouts.setIfAbsent(tx, keys, type.activityTimeout())
                            .thenCombine(
                                    layout.raise(tx, found -> raised(found, definition)), (isFirst, done) -> isFirst);
                    CompletableFuture<Payload> stored = table.readData(tx, name);
                    return table.findReadable(tx, keys, name)
                            .thenCompose(row -> stored.thenCompose(present ->
                                    allowed.thenCompose(done -> put(tx, name, definition, row, present, data))));
                })
                .thenApply(row -> info(name, row));
    }

    private <D> byte[] json(NewJob<D> job, String name) {
        byte[] json = codec.json(job.type(), name, job.data());
        if (json.length > ScheduleFirings.DATA_BYTES_MAX) {
            throw new PayloadTooLargeException(
                    "data", job.type().name(), name, json.length, ScheduleFirings.DATA_BYTES_MAX);
        }
        return json;
    }

    private <D> String digest(NewJob<D> job, String name) {
        return codec.digest(job.type(), name, job.data());
    }

    private static Layout raised(Layout layout, ScheduleRow.Definition definition) {
        JobKeys keys = definition.keys();
        return layout.with(Feature.SCHEDULES)
                .with(Feature.LIMIT_KEYS, keys.limit() != null)
                .with(Feature.TURN_KEYS, keys.turn() != null)
                .with(Feature.SEQUENCES, keys.sequence() != null)
                .with(Feature.OVERLAPS, definition.isExtended());
    }

    private CompletableFuture<ScheduleRow> put(
            Transaction tx,
            String name,
            ScheduleRow.Definition definition,
            Optional<ScheduleRow> stored,
            Payload present,
            Payload wanted) {
        boolean isSameData =
                stored.filter(row -> definition.keepsDataOf(row.definition())).isPresent()
                        || present.isKnownToHold(wanted);
        Payload data = isSameData ? present : wanted;
        if (stored.isEmpty()) {
            table.writeData(tx, name, data);
            return firings.addFirst(tx, name, ScheduleRow.of(definition), data);
        }
        ScheduleRow row = stored.get().isRemoved() ? stored.get().with(ScheduleRow.Status.ACTIVE) : stored.get();
        if (isSameData && row.definition().equals(definition)) {
            return resume(tx, name, stored.get(), /* wanted= */ row, data);
        }
        if (!isSameData) {
            table.writeData(tx, name, data);
        }
        return replace(tx, name, row, definition, data, !isSameData);
    }

    /**
     * Changes the definition of a schedule. A current job that waits changes too, or is removed. If it is overdue, its
     * firing time stays: no process has run it yet.
     */
    private CompletableFuture<ScheduleRow> replace(
            Transaction tx,
            String name,
            ScheduleRow row,
            ScheduleRow.Definition definition,
            Payload data,
            boolean isOtherData) {
        ScheduleRow fresh = row.with(definition).followedBy(null);
        return editCurrent(tx, row, (jobs, ref, job) -> {
                    ScheduleRow.Current current = Objects.requireNonNull(row.current());
                    boolean isSameType = row.definition().typeName().equals(definition.typeName());
                    if (hasBegun(job)) {
                        return Optional.of(isSameType ? afterBegun(row.with(definition), isOtherData) : fresh);
                    }
                    boolean isSameTime = fresh.first(firings.now()).equals(OptionalLong.of(current.time()));
                    boolean isOverdue = current.time() <= firings.now();
                    if (isSameType && (isSameTime || isOverdue)) {
                        ScheduleRow kept = row.with(definition).outdated(false);
                        jobs.save(ref, job, firings.changed(job, name, kept, data));
                        return Optional.of(kept);
                    }
                    jobs.save(ref, job, null);
                    return Optional.empty();
                })
                .thenCompose(kept -> kept.filter(next -> next.current() != null).isPresent()
                        ? write(tx, name, kept.get())
                        : addFirst(tx, name, kept.orElse(fresh), data));
    }

    /** {@return the row after the change of a schedule whose current job has begun, and goes on} */
    private ScheduleRow afterBegun(ScheduleRow row, boolean isOtherData) {
        if (row.definition().overlap().addsAtClaim() && !row.runsAgain()) {
            return row.begun(firings.now()).followedBy(null); // the next job does not wait for the end of this one
        }
        return isOtherData && row.definition().passesResult() ? row.outdated(true) : row;
    }

    /** What becomes of the current job, which has not ended; empty if the schedule has no current job afterwards. */
    private interface CurrentStep {
        Optional<ScheduleRow> apply(JobStore jobs, JobRef ref, JobRow job);
    }

    /** {@return the result of a step; empty if there is no current job, or it is in quarantine} */
    private CompletableFuture<Optional<ScheduleRow>> editCurrent(Transaction tx, ScheduleRow row, CurrentStep step) {
        if (row.current() == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        JobRef ref = keyspace.job(row.definition().typeName(), row.current().jobId());
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(
                ref,
                job -> CompletableFuture.completedFuture(job.filter(found -> found.state() != JobState.FINISHED)
                        .flatMap(found -> step.apply(jobs, ref, found))));
    }

    /** Removes a current job that waits. {@return the schedule, without a current job unless that has begun} */
    private CompletableFuture<ScheduleRow> withdraw(Transaction tx, ScheduleRow row) {
        return editCurrent(tx, row, (jobs, ref, job) -> {
                    if (hasBegun(job)) {
                        return Optional.of(row);
                    }
                    jobs.save(ref, job, null);
                    return Optional.empty();
                })
                .thenApply(rest -> rest.orElseGet(() -> row.followedBy(null)));
    }

    private static boolean hasBegun(JobRow job) {
        return job.state() == JobState.RUNNING
                || (job.claimInfo().number() > 0 && job.claimInfo().started());
    }

    /**
     * Writes the row of a schedule, with a current job unless it is paused. A job that waits for a time by a clock that
     * was ahead makes room for one by the present clock.
     */
    private CompletableFuture<ScheduleRow> resume(
            Transaction tx, String name, ScheduleRow stored, ScheduleRow wanted, Payload data) {
        CurrentStep step = (jobs, ref, job) -> {
            if (hasBegun(job) || !wanted.isCurrentOfWrongClock(firings.now())) {
                return Optional.of(wanted);
            }
            jobs.save(ref, job, null);
            return Optional.empty();
        };
        return editCurrent(tx, wanted, step).thenCompose(present -> {
            if (present.isEmpty() && !wanted.isPaused()) {
                return addFirst(tx, name, wanted, data);
            }
            return wanted.equals(stored) ? CompletableFuture.completedFuture(wanted) : write(tx, name, wanted);
        });
    }

    private CompletableFuture<ScheduleRow> addFirst(Transaction tx, String name, ScheduleRow row, Payload data) {
        return row.isPaused() ? write(tx, name, row.followedBy(null)) : firings.addFirst(tx, name, row, data);
    }

    private CompletableFuture<ScheduleRow> write(Transaction tx, String name, ScheduleRow row) {
        table.write(tx, name, row);
        return CompletableFuture.completedFuture(row);
    }

    public CompletableFuture<Optional<ScheduleInfo>> get(ReadTransactionContext context, String name) {
        Name.SCHEDULE.known(name);
        return transactions
                .named("get schedule", "")
                .read(
                        context,
                        tx -> table.find(tx, name)
                                .thenApply(row ->
                                        row.filter(found -> !found.isRemoved()).map(found -> info(name, found))));
    }

    public CompletableFuture<Page<ScheduleInfo>> list(ReadTransactionContext context, PageRequest page) {
        return transactions
                .named("list schedules", "")
                .read(
                        context,
                        tx -> table.list(tx, page.after(), page.limit() + 1, page.isNewestFirst())
                                .thenApply(rows -> page(rows, page.limit())));
    }

    /** {@return the next firing times of a schedule} */
    public CompletableFuture<List<Instant>> firingTimes(ReadTransactionContext context, String name, int count) {
        Name.SCHEDULE.known(name);
        checkCount(count);
        return transactions
                .named("get firing times", "")
                .read(
                        context,
                        tx -> table.find(tx, name)
                                .thenApply(row -> required(row, name).upcoming(firings.now(), count).stream()
                                        .map(Instant::ofEpochSecond)
                                        .toList()));
    }

    /** {@return the last jobs of a schedule, the last one first} */
    public CompletableFuture<List<JobSummary>> jobs(ReadTransactionContext context, String name, int count) {
        Name.SCHEDULE.known(name);
        checkCount(count);
        return transactions
                .named("list jobs of schedule", "")
                .read(
                        context,
                        tx -> table.find(tx, name).thenCompose(row -> {
                            TypeKeys keys = keyspace.type(
                                    required(row, name).definition().typeName());
                            return ScheduleFirings.lastJobs(tx, keys, name, count)
                                    .thenApply(jobs -> jobs.entrySet().stream()
                                            .map(job -> new JobSummary(
                                                    job.getKey(),
                                                    job.getValue().state(),
                                                    ScheduledTimes.toInstant(
                                                            job.getValue().scheduledTime())))
                                            .toList());
                        }));
    }

    private static void checkCount(int count) {
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("From 1 to " + COUNT_MAX + " can be asked for; this is " + count + ".");
        }
    }

    private Page<ScheduleInfo> page(List<KeyValue> rows, int limit) {
        List<ScheduleInfo> items = new ArrayList<>();
        List<KeyValue> shown = rows.subList(0, Math.min(limit, rows.size()));
        for (KeyValue row : shown) {
            table.readable(row)
                    .filter(decoded -> !decoded.isRemoved())
                    .ifPresent(decoded -> items.add(info(table.nameOf(row.getKey()), decoded)));
        }
        return new Page<>(
                items,
                rows.size() > limit
                        ? Optional.of(table.nameOf(shown.get(limit - 1).getKey()))
                        : Optional.empty());
    }

    public CompletableFuture<ScheduleInfo> pause(TransactionContext context, String name) {
        return change(
                "pause schedule",
                context,
                name,
                (tx, row) ->
                        withdraw(tx, row).thenCompose(rest -> write(tx, name, rest.with(ScheduleRow.Status.PAUSED))));
    }

    public CompletableFuture<ScheduleInfo> resume(TransactionContext context, String name) {
        return changeWithData(
                "resume schedule",
                context,
                name,
                (tx, row, data) ->
                        resume(tx, name, /* stored= */ row, /* wanted= */ row.with(ScheduleRow.Status.ACTIVE), data));
    }

    /** A random number identifies the call, so that a further try after an unknown result changes nothing. */
    public CompletableFuture<ScheduleInfo> runNow(TransactionContext context, String name) {
        long call = random.nextLong();
        return changeWithData(
                "run schedule",
                context,
                name,
                (tx, row, data) -> row.lastRun() == call
                        ? CompletableFuture.completedFuture(row)
                        : runNow(tx, name, row.ranBy(call), data));
    }

    private CompletableFuture<ScheduleRow> runNow(Transaction tx, String name, ScheduleRow row, Payload data) {
        return editCurrent(tx, row, (jobs, ref, job) -> {
                    if (hasBegun(job)) {
                        return Optional.of(row.runningAgain());
                    }
                    if (job.scheduledTime() <= firings.now()) {
                        return Optional.of(row); // it may run at once, and makes up for what was missed
                    }
                    jobs.save(ref, job, null);
                    return Optional.empty();
                })
                .thenCompose(
                        kept -> kept.isPresent() ? write(tx, name, kept.get()) : firings.addNow(tx, name, row, data));
    }

    /** A schedule whose current job has begun is removed when that job ends. */
    public CompletableFuture<Void> remove(TransactionContext context, String name) {
        return inOrder(
                "remove schedule",
                context,
                name,
                tx -> table.find(tx, name)
                        .exceptionallyCompose(error -> RootCauses.of(error) instanceof UndecodableRowException
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : CompletableFuture.failedFuture(error))
                        .thenCompose(row -> row.map(found -> withdraw(tx, found).thenApply(Optional::of))
                                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())))
                        .thenAccept(rest -> {
                            if (rest.filter(row -> row.current() != null).isPresent()) {
                                table.write(tx, name, rest.get().with(ScheduleRow.Status.REMOVED));
                            } else {
                                table.remove(tx, name);
                            }
                        }));
    }

    private CompletableFuture<ScheduleInfo> change(
            String purpose,
            TransactionContext context,
            String name,
            BiFunction<Transaction, ScheduleRow, CompletableFuture<ScheduleRow>> step) {
        return inOrder(
                purpose,
                context,
                name,
                tx -> table.find(tx, name)
                        .thenCompose(found -> step.apply(tx, required(found, name)))
                        .thenApply(row -> info(name, row)));
    }

    private interface DataStep {
        CompletableFuture<ScheduleRow> apply(Transaction tx, ScheduleRow row, Payload data);
    }

    /** Changes a schedule with the data of its jobs, which is read in parallel with its row. */
    private CompletableFuture<ScheduleInfo> changeWithData(
            String purpose, TransactionContext context, String name, DataStep step) {
        return inOrder(purpose, context, name, tx -> {
            CompletableFuture<Payload> data = table.readData(tx, name);
            return table.find(tx, name)
                    .thenCompose(row -> data.thenCompose(json -> step.apply(tx, required(row, name), json)))
                    .thenApply(row -> info(name, row));
        });
    }

    private static ScheduleRow required(Optional<ScheduleRow> row, String name) {
        return row.filter(found -> !found.isRemoved()).orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    /** Verbs of one schedule in one transaction run in the order of the calls. */
    private <T> CompletableFuture<T> inOrder(
            String purpose, TransactionContext context, String name, Function<Transaction, CompletableFuture<T>> body) {
        Name.SCHEDULE.known(name);
        return transactions
                .named(purpose, "")
                .run(context, tx -> JobStore.of(tx).inOrder(List.of(table.key(name)), () -> body.apply(tx)));
    }

    private static ScheduleInfo info(String name, ScheduleRow row) {
        Optional<ScheduleRow.Current> current = Optional.ofNullable(row.current());
        return new ScheduleInfo(
                name,
                row.definition().typeName(),
                row.definition().timing().describe(),
                row.isPaused(),
                current.map(ScheduleRow.Current::jobId),
                current.map(ScheduleRow.Current::time).map(Instant::ofEpochSecond));
    }
}
