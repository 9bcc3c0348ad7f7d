package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.WorkerInfo;
import dev.couchjobs.WorkerPause;
import dev.couchjobs.WorkerState;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.workers.WorkerOrders;
import dev.couchjobs.internal.workers.WorkerRow;
import dev.couchjobs.internal.workers.WorkerTable;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.WatchLooks;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** The verbs that list workers and steer them. */
public final class WorkerVerbs {
    private static final int COUNTED_MAX = 1_000;
    private static final int TYPES_MAX = 100;
    private static final int REPORTS_PER_PRUNING = 60;
    private static final int PRUNED_MAX = 50;
    private static final String WORKERS = "workers";
    private static final String PAUSES = "worker pauses";

    private final WorkerTable table;
    private final Transactions transactions;
    private final WatchLooks looks;
    private final InstantSource clock;
    private final RandomGenerator random;

    public WorkerVerbs(Instance instance) {
        this.table = new WorkerTable(instance.keyspace());
        this.transactions = instance.transactions();
        this.looks = instance.looks();
        this.clock = instance.clock();
        this.random = instance.environment().random();
    }

    public CompletableFuture<Void> pause(TransactionContext context, String name) {
        long now = clock.millis();
        return change("pause workers", context, Name.WORKER.checked(name), orders -> orders.paused(now));
    }

    public CompletableFuture<Void> resume(TransactionContext context, String name) {
        return change("resume workers", context, name, WorkerOrders::resumed);
    }

    private CompletableFuture<Void> change(
            String purpose, TransactionContext context, String name, Function<WorkerOrders, WorkerOrders> toNext) {
        Name.WORKER.known(name);
        return transactions.named(purpose, "").run(context, tx -> table.change(tx, name, toNext));
    }

    /** All tries of a drain write one number: a worker that registers between two of them is not drained. */
    public CompletableFuture<Integer> drain(TransactionContext context, String name) {
        Name.WORKER.checked(name);
        long number = random.nextLong();
        Instant now = clock.instant();
        return transactions
                .named("drain workers", "")
                .run(
                        context,
                        tx -> table.change(tx, name, orders -> orders.drained(number, now.toEpochMilli()))
                                .thenCombine(
                                        table.withName(tx, name, COUNTED_MAX), (done, workers) -> (int) workers.stream()
                                                .filter(worker -> worker.isLive(now))
                                                .count()));
    }

    /** {@return the state that is stored} Once in 60 reports on average it removes old rows. */
    public CompletableFuture<WorkerState> report(TransactionContext context, RemoteWorker worker) {
        WorkerTable.Ref ref = new WorkerTable.Ref(worker.name(), worker.id());
        Instant now = clock.instant();
        boolean prunes = random.nextInt(REPORTS_PER_PRUNING) == 0;
        return transactions
                .named("report worker", "")
                .run(
                        context,
                        tx -> table.orders(tx, worker.name())
                                .thenCombine(
                                        table.find(tx, ref), (orders, own) -> write(tx, ref, worker, orders, own, now))
                                .thenCompose(state -> prunes
                                        ? prune(tx, ref, now).thenApply(pruned -> state)
                                        : CompletableFuture.completedFuture(state)));
    }

    /** Damaged orders change nothing. */
    private WorkerState write(
            Transaction tx,
            WorkerTable.Ref ref,
            RemoteWorker worker,
            Optional<WorkerOrders> orders,
            Optional<WorkerRow> own,
            Instant now) {
        Long registeredAfter = own.isPresent()
                ? own.get().registeredAfter()
                : orders.map(WorkerOrders::drain).orElse(null);
        WorkerState state = WorkerState.RUNNING;
        if (worker.isDraining()
                || orders.filter(each -> each.drains(registeredAfter)).isPresent()) {
            state = WorkerState.DRAINING;
        } else if (orders.filter(WorkerOrders::isPaused).isPresent()) {
            state = WorkerState.PAUSED;
        }
        table.write(
                tx,
                ref,
                new WorkerRow(
                        worker.host(),
                        worker.version(),
                        worker.types().stream().limit(TYPES_MAX).toList(),
                        worker.concurrency(),
                        worker.running(),
                        state,
                        worker.startedAt().toEpochMilli(),
                        now.toEpochMilli(),
                        registeredAfter));
        return state;
    }

    private CompletableFuture<?> prune(Transaction tx, WorkerTable.Ref ref, Instant now) {
        return table.prune(tx, Optional.of(table.key(ref)), PRUNED_MAX, now)
                .thenCombine(
                        table.pruneOrders(tx, Optional.of(table.ordersKey(ref.name())), PRUNED_MAX, now),
                        (workers, names) -> workers);
    }

    public CompletableFuture<Void> watchOrders(Transaction tx, String name) {
        Name.WORKER.known(name);
        return looks.await(ArmedWatch.armNow(tx, table.ordersKey(name)));
    }

    public CompletableFuture<Void> remove(TransactionContext context, String name, UUID id) {
        Name.WORKER.known(name);
        return transactions.named("remove worker", "").run(context, tx -> {
            table.remove(tx, new WorkerTable.Ref(name, id));
            return CompletableFuture.<Void>completedFuture(null);
        });
    }

    public CompletableFuture<Optional<WorkerInfo>> find(ReadTransactionContext context, String name, UUID id) {
        Name.WORKER.known(name);
        WorkerTable.Ref ref = new WorkerTable.Ref(name, id);
        return transactions
                .named("find worker", "")
                .read(
                        context,
                        tx -> table.find(tx, ref)
                                .thenApply(found -> found.map(row -> info(new WorkerTable.Listed(ref, row)))));
    }

    public CompletableFuture<Page<WorkerInfo>> list(ReadTransactionContext context, PageRequest page) {
        return page(
                context, page, WORKERS, table::list, row -> table.readable(row).map(this::info));
    }

    private WorkerInfo info(WorkerTable.Listed listed) {
        WorkerRow row = listed.row();
        return new WorkerInfo(
                listed.ref().name(),
                listed.ref().id().toString(),
                row.host(),
                row.libraryVersion(),
                row.types(),
                row.concurrency(),
                row.running(),
                row.state(),
                Instant.ofEpochMilli(row.startedAt()),
                Instant.ofEpochMilli(row.lastSeen()),
                listed.isLive(clock.instant()));
    }

    public CompletableFuture<Page<WorkerPause>> pauses(ReadTransactionContext context, PageRequest page) {
        return page(
                context,
                page,
                PAUSES,
                table::listOrders,
                row -> table.readableOrders(row)
                        .flatMap(ordered -> Optional.ofNullable(ordered.orders().pausedAt())
                                .map(since -> new WorkerPause(ordered.name(), Instant.ofEpochMilli(since)))));
    }

    private <T> CompletableFuture<Page<T>> page(
            ReadTransactionContext context,
            PageRequest page,
            String listing,
            WorkerTable.Listing rows,
            Function<KeyValue, Optional<T>> toItem) {
        Optional<byte[]> after = page.after().map(token -> PageToken.decode(listing, token));
        return transactions
                .named("list", listing)
                .read(
                        context,
                        tx -> rows.list(tx, after, page.limit() + 1, page.isNewestFirst())
                                .thenApply(read -> page(read, page.limit(), listing, toItem)));
    }

    private static <T> Page<T> page(
            List<KeyValue> rows, int limit, String listing, Function<KeyValue, Optional<T>> toItem) {
        List<KeyValue> shown = rows.subList(0, Math.min(limit, rows.size()));
        return new Page<>(
                shown.stream().map(toItem).flatMap(Optional::stream).toList(),
                rows.size() > limit
                        ? Optional.of(
                                PageToken.encode(listing, shown.get(limit - 1).getKey()))
                        : Optional.empty());
    }
}
