package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobType;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PayloadException;
import dev.couchjobs.RawPayload;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.WorkerState;
import dev.couchjobs.server.internal.http.MemoryShortage;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.WaitingClient;
import dev.couchjobs.server.internal.json.NewJobs;
import dev.couchjobs.server.internal.work.ClaimRows.Held;
import dev.couchjobs.server.internal.work.Waits.Wait;
import dev.couchjobs.server.internal.work.WorkJson.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls of workers for claims. A call waits in memory, and no thread waits with it. The transaction that claims records
 * the claims of a call, so a repeated call claims nothing. Another transaction reads the worker's orders, then the
 * claims are written to the client. What the worker may not have, or finds no client, is released.
 */
final class ClaimCalls implements AutoCloseable {
    /** An attempt names its worker, and the beginning of the worker's id. */
    private static final int ID_LETTERS = 8;

    private static final Problem NO_ROOM = Problem.of(503, "busy", "The memory for claims is in use.")
            .detail("The job has been put back. Try again, here or at another server.")
            .header("Retry-After", "1");

    private final CouchJobs jobs;
    private final Database database;
    private final ClaimRows rows;
    private final Registrations registrations;
    private final Waits waits;
    private final OrderWatches orders;

    /** The calls that this server is about, so that a client that repeats one joins it. */
    private final Map<Key, Pending> pending = new ConcurrentHashMap<>();

    private volatile boolean isClosed;

    ClaimCalls(CouchJobs jobs, Database database, ClaimRows rows, Registrations registrations) {
        this.jobs = jobs;
        this.database = database;
        this.rows = rows;
        this.registrations = registrations;
        this.waits = new Waits(jobs, database);
        this.orders = new OrderWatches(jobs, database);
    }

    /**
     * What a worker wants.
     *
     * @param requestId the same if the call is repeated
     * @param isRepeated whether the worker knows that it repeats the call
     */
    record Request(RemoteWorker worker, String requestId, boolean isRepeated, int max, Duration time) {}

    private record Key(UUID worker, String requestId) {}

    /** A call, and how many clients await its reply: several if it was repeated. */
    private static final class Pending {
        final Wait wait = new Wait();
        final CompletableFuture<Got> got = new CompletableFuture<>();
        final AtomicInteger clients = new AtomicInteger();

        /** {@return whether a client may join: not if the last one has left} */
        boolean join() {
            return clients.getAndUpdate(count -> count < 0 ? count : count + 1) >= 0;
        }

        /** {@return whether that was the last client} */
        boolean leave() {
            return clients.updateAndGet(count -> count == 1 ? -1 : count - 1) < 0;
        }
    }

    /** What a call has got. */
    private record Got(WorkerState state, List<Claim> claims) {
        static Got nothing(WorkerState state) {
            return new Got(state, List.of());
        }

        List<Job<RawPayload>> held() {
            return claims.stream().map(Claim::job).toList();
        }
    }

    CompletableFuture<Reply> run(Request request, WaitingClient connection) {
        if (isClosed) {
            throw new CouchJobsClosedException();
        }
        Key key = new Key(request.worker().id(), request.requestId());
        Pending mine = new Pending();
        Pending joined = pending.compute(key, (same, present) -> {
            Pending call = present == null ? mine : present;
            return call.join() ? call : mine;
        });
        if (joined == mine && mine.clients.get() == 0) {
            mine.join();
        }
        AtomicBoolean hasLeft = new AtomicBoolean();
        Runnable leave = () -> {
            if (!hasLeft.getAndSet(true) && joined.leave()) {
                joined.wait.end();
                var unused = joined.got.thenAccept(got -> waits.putBack(got.held()));
            }
        };
        try {
            connection.watch(
                    request.time().isZero() ? 0 : request.worker().types().size(), leave);
        } catch (ProblemException e) {
            leave.run();
            if (joined == mine) {
                pending.remove(key, mine);
                mine.got.completeExceptionally(e); // a client that has joined meanwhile is told the same
            }
            throw e;
        }
        if (joined == mine) {
            var unused = CompletableFuture.completedFuture(mine)
                    .thenCompose(call -> got(request, call)) // within the chain, because a name may be refused
                    .thenApply(got -> fitting(got, connection))
                    .whenComplete((got, error) -> {
                        pending.remove(key, mine);
                        if (error == null) {
                            mine.got.complete(got);
                        } else {
                            mine.got.completeExceptionally(error);
                        }
                    });
        }
        if (isClosed) {
            joined.wait.end();
        }
        return joined.got.thenApply(got -> reply(got, leave));
    }

    private static Reply reply(Got got, Runnable leave) {
        try {
            return Reply.ok(WorkJson.claims(got.state(), got.claims())).ifUnsent(leave);
        } catch (Throwable e) { // also an error: no worker gets the claims
            leave.run();
            throw e;
        }
    }

    /**
     * {@return the first claims of a call, for whose data there is memory} The others are put back. A claim whose data
     * cannot be read fails the call, and expires: who claims it next would have no more success.
     */
    private Got fitting(Got got, WaitingClient connection) {
        List<Claim> fitting = new ArrayList<>();
        List<Job<RawPayload>> others = new ArrayList<>();
        Optional<RuntimeException> unreadable = Optional.empty();
        try {
            for (Claim claim : got.claims()) {
                try {
                    if (others.isEmpty() && connection.hold(claim.job().data().size())) {
                        fitting.add(claim);
                    } else {
                        others.add(claim.job());
                    }
                } catch (PayloadException e) {
                    if (MemoryShortage.isCauseOf(e)) {
                        throw e;
                    }
                    unreadable = Optional.of(e);
                }
            }
        } catch (Throwable e) { // also an error: no worker gets the claims
            waits.putBack(got.held());
            throw e;
        }
        waits.putBack(others);
        if (unreadable.isPresent() || (fitting.isEmpty() && !others.isEmpty())) {
            waits.putBack(fitting.stream().map(Claim::job).toList());
            throw unreadable.orElseGet(() -> new ProblemException(NO_ROOM));
        }
        return new Got(got.state(), fitting);
    }

    private CompletableFuture<Got> got(Request request, Pending call) {
        RemoteWorker worker = request.worker();
        if (!request.isRepeated() && registrations.isKnown(worker)) {
            return accept(request, call);
        }
        return read(request).thenCompose(before -> {
            if (before.repeated().isPresent() || before.state() != WorkerState.RUNNING) {
                return CompletableFuture.completedFuture(before.got());
            }
            return accept(request, call);
        });
    }

    /** What the rows say of a worker, and the claims of its call if it is a repeated one. */
    private record Known(WorkerState state, Optional<List<Claim>> repeated) {
        Got got() {
            return new Got(state, repeated.orElse(List.of()));
        }
    }

    /** Reports the worker, and looks whether another server has had the same call. */
    private CompletableFuture<Known> read(Request request) {
        return database.runAsync(tx -> registrations
                .report(tx, request.worker())
                .thenCompose(state -> repeated(tx, request).thenApply(claims -> new Known(state, claims))));
    }

    private CompletableFuture<Optional<List<Claim>>> repeated(Transaction tx, Request request) {
        return rows.find(tx, request.worker().id(), request.requestId())
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : restored(tx, request, found.get()).thenApply(Optional::of));
    }

    private CompletableFuture<Got> accept(Request request, Pending call) {
        if (!request.time().isZero()) {
            orders.add(request.worker(), call.wait);
        }
        return waits.accept(wanted(request), call.wait)
                .whenComplete((claims, error) -> orders.remove(request.worker(), call.wait))
                .thenCompose(claims -> claims.isEmpty() ? nothing(request) : checkOrRelease(request, claims))
                .exceptionallyCompose(error -> Waits.isRepeated(error)
                        ? read(request).thenApply(Known::got)
                        : CompletableFuture.failedFuture(error));
    }

    private CompletableFuture<Got> nothing(Request request) {
        return isClosed
                ? CompletableFuture.completedFuture(Got.nothing(WorkerState.RUNNING))
                : registrations.report(database, request.worker()).thenApply(Got::nothing);
    }

    private Waits.Wanted wanted(Request request) {
        RemoteWorker worker = request.worker();
        String name = worker.name() + "/" + worker.id().toString().substring(0, ID_LETTERS);
        return new Waits.Wanted(
                worker.types(), request.max(), request.time(), name, rows.key(worker.id()), request.requestId());
    }

    private CompletableFuture<Got> checkOrRelease(Request request, List<Job<RawPayload>> claims) {
        List<Held> own = Held.of(claims);
        return database.runAsync(tx -> check(tx, request, claims, own)).whenComplete((got, error) -> {
            if (error != null || !Held.of(got.held()).equals(own)) {
                waits.putBack(claims);
            }
        });
    }

    /** {@return the claims, unless the worker has got others under the same request, or may have none} */
    private CompletableFuture<Got> check(
            Transaction tx, Request request, List<Job<RawPayload>> claims, List<Held> own) {
        UUID worker = request.worker().id();
        return registrations
                .report(tx, request.worker())
                .thenCompose(state -> rows.find(tx, worker, request.requestId()).thenCompose(found -> {
                    if (found.isPresent() && !found.get().equals(own)) {
                        return restored(tx, request, found.get()).thenApply(others -> new Got(state, others));
                    }
                    if (state != WorkerState.RUNNING) {
                        return CompletableFuture.completedFuture(Got.nothing(state));
                    }
                    return rows.pruneSometimes(tx, worker)
                            .thenCompose(done -> withDetails(tx, claims))
                            .thenApply(detailed -> new Got(state, detailed));
                }));
    }

    /** {@return those of the claims that hold, of the types that the request may have} */
    private CompletableFuture<List<Claim>> restored(Transaction tx, Request request, List<Held> held) {
        List<CompletableFuture<Optional<Job<RawPayload>>>> restored = held.stream()
                .filter(claim -> request.worker().types().contains(claim.type()))
                .map(claim -> jobs.processor()
                        .claim(tx, NewJobs.type(claim.type()), claim.id(), claim.lock())
                        .thenApply(Optional::of)
                        .exceptionallyCompose(ClaimCalls::nothingIfLost))
                .toList();
        return all(restored)
                .thenCompose(found ->
                        withDetails(tx, found.stream().flatMap(Optional::stream).toList()));
    }

    private static CompletableFuture<Optional<Job<RawPayload>>> nothingIfLost(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof JobHaltedException || cause instanceof JobNotFoundException
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.failedFuture(error);
    }

    private CompletableFuture<List<Claim>> withDetails(Transaction tx, List<Job<RawPayload>> claims) {
        Map<String, CompletableFuture<Duration>> timeouts = new ConcurrentHashMap<>();
        return all(claims.stream()
                .map(job -> timeouts.computeIfAbsent(job.type().name(), type -> timeout(tx, job.type()))
                        .thenCombine(checkpoint(tx, job), (timeout, entry) -> new Claim(job, timeout, entry)))
                .toList());
    }

    private CompletableFuture<Duration> timeout(Transaction tx, JobType<?, ?> type) {
        return jobs.types().getTypeTimeout(tx, type).thenApply(timeout -> timeout.orElse(type.activityTimeout()));
    }

    /** The first claim on a job finds no checkpoint. */
    private CompletableFuture<Optional<LogEntry>> checkpoint(Transaction tx, Job<RawPayload> job) {
        return job.claim() == 1
                ? CompletableFuture.completedFuture(Optional.empty())
                : jobs.details().lastCheckpoint(tx, job.type(), job.id());
    }

    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<T> values = new ArrayList<>(futures.size());
                    futures.forEach(future -> values.add(future.join()));
                    return values;
                });
    }

    /** Ends the waits, and refuses further calls. */
    @Override
    public void close() {
        isClosed = true;
        orders.close();
        pending.values().forEach(call -> call.wait.end());
    }
}
