package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.ScheduleNotFoundException;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.schedules.ScheduleFirings;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.schedules.ScheduleRow;
import dev.couchjobs.internal.schedules.ScheduleTable;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The verbs of schedules. Each leaves the same state if it runs twice. */
public final class ScheduleVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final LayoutRow layout;
    private final ScheduleTable table;
    private final ScheduleFirings firings;

    public ScheduleVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.layout = new LayoutRow(keyspace);
        this.table = new ScheduleTable(keyspace);
        this.firings = new ScheduleFirings(
                keyspace, instance.clock(), instance.environment().random());
    }

    public CompletableFuture<ScheduleInfo> put(TransactionContext context, ScheduleRequest request) {
        String name = request.name();
        JobType<?, ?> type = request.job().type();
        byte[] json = encode(request.job(), name);
        return run("put schedule", context, tx -> {
                    TypeKeys keys = keyspace.type(type.name());
                    CompletableFuture<?> allowed = TypeTimeouts.setIfAbsent(tx, keys, type.activityTimeout())
                            .thenCombine(requireSchedules(tx), (isFirst, done) -> isFirst);
                    CompletableFuture<Payload> stored = table.readData(tx, name);
                    return table.findReadable(tx, keys, name)
                            .thenCompose(row -> stored.thenCompose(data -> allowed.thenCompose(
                                    done -> put(tx, request, row, data.isKnownToEqual(json), json))));
                })
                .thenApply(row -> info(name, row));
    }

    private CompletableFuture<ScheduleRow> put(
            Transaction tx, ScheduleRequest request, Optional<ScheduleRow> row, boolean isSameData, byte[] json) {
        return row.filter(stored -> isSameData && stored.definition().equals(request.definition()))
                .map(stored -> keep(tx, request.name(), stored, /* wanted= */ stored))
                .orElseGet(() -> replace(tx, request, row, json));
    }

    private <D> byte[] encode(NewJob<D> job, String name) {
        return codec.encode(job.type(), name, job.data());
    }

    /** Keeps code that does not know schedules from writing rows. */
    private CompletableFuture<?> requireSchedules(Transaction tx) {
        return layout.read(tx).thenAccept(found -> {
            if (!found.withSchedules().equals(found)) {
                layout.write(tx, found.withSchedules());
            }
        });
    }

    private CompletableFuture<ScheduleRow> replace(
            Transaction tx, ScheduleRequest request, Optional<ScheduleRow> before, byte[] json) {
        table.writeData(tx, request.name(), json);
        ScheduleRow fresh = new ScheduleRow(
                request.definition(), before.filter(ScheduleRow::paused).isPresent(), false, null);
        return before.map(row -> withdraw(tx, request.name(), row))
                .orElseGet(() -> CompletableFuture.completedFuture(fresh))
                .thenCompose(rest -> rest.current() != null
                                && rest.definition()
                                        .typeName()
                                        .equals(fresh.definition().typeName())
                        ? write(tx, request.name(), fresh.with(rest.current()))
                        : fireNext(tx, request.name(), fresh, Payload.of(json)));
    }

    /**
     * Writes a schedule if it differs from what is stored, and adds the job of its next time if it has no current job:
     * that may be in quarantine.
     */
    private CompletableFuture<ScheduleRow> keep(Transaction tx, String name, ScheduleRow stored, ScheduleRow wanted) {
        return hasCurrent(tx, wanted)
                .thenCompose(hasCurrent -> hasCurrent || (wanted.paused() && wanted.equals(stored))
                        ? writeIfOther(tx, name, stored, wanted)
                        : table.readData(tx, name).thenCompose(json -> fireNext(tx, name, wanted, json)));
    }

    private CompletableFuture<ScheduleRow> writeIfOther(
            Transaction tx, String name, ScheduleRow stored, ScheduleRow row) {
        return row.equals(stored) ? CompletableFuture.completedFuture(row) : write(tx, name, row);
    }

    private CompletableFuture<Boolean> hasCurrent(Transaction tx, ScheduleRow row) {
        return row.current() == null
                ? CompletableFuture.completedFuture(false)
                : JobTransaction.of(tx)
                        .edit(
                                job(row, row.current()),
                                job -> CompletableFuture.completedFuture(
                                        job.filter(found -> found.state() != JobState.FINISHED)
                                                .isPresent()));
    }

    private JobRef job(ScheduleRow row, ScheduleRow.Current current) {
        return keyspace.job(row.definition().typeName(), current.jobId());
    }

    private CompletableFuture<ScheduleRow> write(Transaction tx, String name, ScheduleRow row) {
        table.write(tx, name, row);
        return CompletableFuture.completedFuture(row);
    }

    /** Adds the job of the next time, unless the schedule is paused. */
    private CompletableFuture<ScheduleRow> fireNext(Transaction tx, String name, ScheduleRow row, Payload data) {
        if (row.paused()) {
            return write(tx, name, row.with(null));
        }
        return firings.fire(tx, name, row, row.definition().first(firings.now()), data);
    }

    /**
     * Removes the current job of a schedule if it waits for its time.
     *
     * @return the schedule, without a current job unless that has begun
     */
    private CompletableFuture<ScheduleRow> withdraw(Transaction tx, String name, ScheduleRow row) {
        if (row.current() == null) {
            return CompletableFuture.completedFuture(row);
        }
        JobRef ref = job(row, row.current());
        ScheduleRow without = row.with(null);
        table.write(tx, name, without); // so that the removal does not add the next job
        JobTransaction jobs = JobTransaction.of(tx);
        return jobs.edit(ref, job -> {
            if (job.filter(ScheduleVerbs::isWaiting).isPresent()) {
                jobs.save(ref, job.get(), null);
            }
            return CompletableFuture.completedFuture(
                    job.filter(ScheduleVerbs::hasBegun).isPresent() ? row : without);
        });
    }

    private static boolean isWaiting(JobRow job) {
        return job.state() == JobState.PENDING && job.claimInfo().number() == 0;
    }

    private static boolean hasBegun(JobRow job) {
        return job.state() != JobState.FINISHED && !isWaiting(job);
    }

    public CompletableFuture<Optional<ScheduleInfo>> get(ReadTransactionContext context, String name) {
        return transactions
                .named("get schedule", "")
                .read(context, tx -> table.find(tx, name).thenApply(row -> row.map(found -> info(name, found))));
    }

    public CompletableFuture<Page<ScheduleInfo>> list(ReadTransactionContext context, PageRequest page) {
        return transactions
                .named("list schedules", "")
                .read(
                        context,
                        tx -> table.list(tx, page.after(), page.limit() + 1, page.isNewestFirst())
                                .thenApply(rows -> page(rows, page.limit())));
    }

    private Page<ScheduleInfo> page(List<KeyValue> rows, int limit) {
        List<ScheduleInfo> items = new ArrayList<>();
        List<KeyValue> shown = rows.subList(0, Math.min(limit, rows.size()));
        for (KeyValue row : shown) {
            table.readable(row).ifPresent(decoded -> items.add(info(table.nameOf(row.getKey()), decoded)));
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
                (tx, row) -> withdraw(tx, name, row).thenCompose(rest -> write(tx, name, rest.paused(true))));
    }

    public CompletableFuture<ScheduleInfo> resume(TransactionContext context, String name) {
        return change(
                "resume schedule",
                context,
                name,
                (tx, row) -> keep(tx, name, /* stored= */ row, /* wanted= */ row.paused(false)));
    }

    public CompletableFuture<ScheduleInfo> runNow(TransactionContext context, String name) {
        return change("run schedule", context, name, (tx, row) -> {
            CompletableFuture<Payload> data = table.readData(tx, name);
            return withdraw(tx, name, row)
                    .thenCompose(rest -> rest.current() != null
                            ? write(tx, name, rest.againAtOnce())
                            : data.thenCompose(
                                    json -> firings.fire(tx, name, rest, OptionalLong.of(firings.now()), json)));
        });
    }

    public CompletableFuture<Void> remove(TransactionContext context, String name) {
        return run(
                "remove schedule",
                context,
                tx -> table.find(tx, name)
                        .exceptionallyCompose(error -> RootCauses.of(error) instanceof UndecodableRowException
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : CompletableFuture.failedFuture(error))
                        .thenCompose(row -> row.<CompletableFuture<?>>map(found -> withdraw(tx, name, found))
                                .orElseGet(() -> CompletableFuture.completedFuture(row)))
                        .thenAccept(done -> table.remove(tx, name)));
    }

    private CompletableFuture<ScheduleInfo> change(
            String purpose,
            TransactionContext context,
            String name,
            BiFunction<Transaction, ScheduleRow, CompletableFuture<ScheduleRow>> step) {
        return run(
                purpose,
                context,
                tx -> table.find(tx, name)
                        .thenCompose(
                                found -> step.apply(tx, found.orElseThrow(() -> new ScheduleNotFoundException(name))))
                        .thenApply(row -> info(name, row)));
    }

    private <T> CompletableFuture<T> run(
            String purpose, TransactionContext context, Function<Transaction, CompletableFuture<T>> body) {
        return transactions.named(purpose, "").run(context, body);
    }

    private static ScheduleInfo info(String name, ScheduleRow row) {
        Optional<ScheduleRow.Current> current = Optional.ofNullable(row.current());
        return new ScheduleInfo(
                name,
                row.definition().typeName(),
                row.definition().timing().describe(),
                row.paused(),
                current.map(ScheduleRow.Current::jobId),
                current.map(ScheduleRow.Current::time).map(Instant::ofEpochSecond));
    }
}
