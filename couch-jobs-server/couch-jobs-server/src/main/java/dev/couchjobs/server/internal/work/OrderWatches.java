package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.WorkerState;
import dev.couchjobs.server.internal.work.Waits.Wait;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends the waits of workers for which there are other orders. All waits of a name share a watch, which stays for the
 * next call of its workers. Workers beyond the bound learn of orders when their call ends.
 */
final class OrderWatches implements AutoCloseable {
    /** A client of FoundationDB has 10,000 watches, and types need some. */
    private static final int NAMES_MAX = 1_000;

    private final CouchJobs jobs;
    private final Database database;

    @GuardedBy("this") private final Map<String, Watched> byName = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this") private boolean isClosed;

    OrderWatches(CouchJobs jobs, Database database) {
        this.jobs = jobs;
        this.database = database;
    }

    private static final class Watched {
        final Set<Wait> waits = Collections.newSetFromMap(new IdentityHashMap<>());

        @Nullable CompletableFuture<Void> watch;
    }

    private record Armed(WorkerState state, CompletableFuture<Void> watch) {}

    /** Ends a wait when the orders for its worker change, until it is removed. */
    void add(RemoteWorker worker, Wait wait) {
        Watched watched;
        synchronized (this) {
            Watched present = byName.get(worker.name());
            if (present != null) {
                present.waits.add(wait);
                return;
            }
            if (isClosed || (byName.size() >= NAMES_MAX && !forgetOne())) {
                return;
            }
            watched = new Watched();
            watched.waits.add(wait);
            byName.put(worker.name(), watched);
        }
        arm(worker, watched);
    }

    synchronized void remove(RemoteWorker worker, Wait wait) {
        Watched watched = byName.get(worker.name());
        if (watched != null) {
            watched.waits.remove(wait);
        }
    }

    /** {@return whether a name was without waits, of which the one that was used least recently is forgotten} */
    @GuardedBy("this") private boolean forgetOne() {
        Iterator<Watched> all = byName.values().iterator();
        while (all.hasNext()) {
            Watched each = all.next();
            if (each.waits.isEmpty() && each.watch != null) {
                all.remove();
                each.watch.cancel(false);
                return true;
            }
        }
        return false;
    }

    /** The transaction that sets the watch also reads the orders, so none is missed. */
    private void arm(RemoteWorker worker, Watched watched) {
        var unused = database.runAsync(tx -> {
                    CompletableFuture<Void> watch = jobs.workers().watchOrders(tx, worker.name());
                    return jobs.workers().report(tx, worker).thenApply(state -> new Armed(state, watch));
                })
                .whenComplete((armed, error) -> {
                    if (error != null || armed.state() != WorkerState.RUNNING) {
                        end(worker.name(), watched, error == null);
                    }
                    if (armed != null) {
                        keep(watched, armed.watch());
                        var unusedEnd = armed.watch()
                                .whenComplete((changed, dropped) -> end(worker.name(), watched, dropped == null));
                    }
                });
    }

    private synchronized void keep(Watched watched, CompletableFuture<Void> watch) {
        watched.watch = watch;
        if (isClosed || !byName.containsValue(watched)) {
            watch.cancel(false);
        }
    }

    private void end(String name, Watched watched, boolean endsWaits) {
        List<Wait> ended;
        synchronized (this) {
            byName.remove(name, watched);
            ended = List.copyOf(watched.waits);
        }
        if (endsWaits) {
            ended.forEach(Wait::end);
        }
    }

    @Override
    public void close() {
        List<Watched> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(byName.values());
        }
        for (Watched each : all) {
            CompletableFuture<Void> watch = each.watch;
            if (watch != null) {
                watch.cancel(false);
            }
        }
    }
}
