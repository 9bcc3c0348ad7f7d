package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.RawPayload;
import dev.couchjobs.RepeatedCallException;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Waits for jobs of several types, and claims jobs of the first that has some. The transaction that claims also records
 * that in the row of the call, so a repeated call claims nothing.
 */
final class Waits {
    private static final SafeLog LOG = SafeLog.of(Waits.class);

    private final CouchJobs jobs;
    private final Database database;
    private final AtomicInteger turn = new AtomicInteger();

    Waits(CouchJobs jobs, Database database) {
        this.jobs = jobs;
        this.database = database;
    }

    /**
     * What a call wants.
     *
     * @param by the worker that the attempts name
     * @param row the key of the row that says what the call has claimed
     * @param call the id of the call
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Wanted(List<String> types, int max, Duration time, String by, byte[] row, String call) {
        Wanted atOnce(String type) {
            return new Wanted(List.of(type), max, Duration.ZERO, by, row, call);
        }
    }

    /** A wait that can be ended early. */
    static final class Wait {
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

        void end() {
            ended.complete(true);
        }

        boolean isEnded() {
            return ended.isDone();
        }
    }

    /** {@return the claims of one of the types; none when the time is up or the wait has ended} */
    CompletableFuture<List<Job<RawPayload>>> accept(Wanted wanted, Wait wait) {
        List<String> types = wanted.types();
        if (wait.isEnded()) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (types.size() == 1) {
            return acceptAny(wanted, wait);
        }
        CompletableFuture<List<Job<RawPayload>>> atOnce = tryEach(wanted, inTurn(types), wait);
        if (wanted.time().isZero()) {
            return atOnce;
        }
        return atOnce.thenCompose(claims -> claims.isEmpty() && !wait.isEnded()
                ? acceptAny(wanted, wait)
                : CompletableFuture.completedFuture(claims));
    }

    /** Each call begins with another type, so that a type that always has jobs does not keep the others waiting. */
    private List<String> inTurn(List<String> types) {
        int first = Math.floorMod(turn.getAndIncrement(), types.size());
        List<String> order = new ArrayList<>(types.subList(first, types.size()));
        order.addAll(types.subList(0, first));
        return order;
    }

    /** Tries one type after the other: claims of types that come too late would have to be released. */
    private CompletableFuture<List<Job<RawPayload>>> tryEach(Wanted wanted, List<String> types, Wait wait) {
        if (types.isEmpty() || wait.isEnded()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return acceptAny(wanted.atOnce(types.get(0)), wait)
                .thenCompose(claims -> claims.isEmpty()
                        ? tryEach(wanted, types.subList(1, types.size()), wait)
                        : CompletableFuture.completedFuture(claims));
    }

    /** {@return the claims of the first type that has jobs} Those of others are put back. */
    private CompletableFuture<List<Job<RawPayload>>> acceptAny(Wanted wanted, Wait wait) {
        AcceptOptions options =
                AcceptOptions.defaults().timeout(wanted.time()).by(wanted.by()).once(wanted.row(), wanted.call());
        CompletableFuture<List<Job<RawPayload>>> first = new CompletableFuture<>();
        // If a name is refused, no call may have been made.
        List<JobType<RawPayload, RawPayload>> checked =
                wanted.types().stream().map(NewJobs::type).toList();
        List<CompletableFuture<List<Job<RawPayload>>>> calls = checked.stream()
                .map(type -> jobs.processor().accept(type, wanted.max(), options))
                .toList();
        AtomicInteger open = new AtomicInteger(calls.size());
        AtomicReference<Throwable> repeated = new AtomicReference<>();
        for (CompletableFuture<List<Job<RawPayload>>> call : calls) {
            var unused = call.whenComplete((claims, error) -> {
                if (isRepeated(error)) {
                    repeated.set(error); // perhaps of another type of this very wait, whose claims come
                } else if (error != null && !call.isCancelled()) {
                    first.completeExceptionally(error);
                } else if (claims != null && !claims.isEmpty() && !first.complete(claims)) {
                    putBack(claims);
                }
                if (open.decrementAndGet() > 0) {
                    return;
                }
                Throwable reason = repeated.get();
                if (reason == null) {
                    first.complete(List.of());
                } else {
                    first.completeExceptionally(reason);
                }
            });
        }
        var unusedEnd = wait.ended.thenRun(() -> calls.forEach(call -> call.cancel(false)));
        var unusedFirst = first.whenComplete((claims, error) -> calls.forEach(call -> call.cancel(false)));
        return first;
    }

    /** {@return whether the row of the call has its claims} */
    static boolean isRepeated(@Nullable Throwable error) {
        return error instanceof RepeatedCallException
                || (error != null && error.getCause() instanceof RepeatedCallException);
    }

    /** Puts back what no worker gets. */
    void putBack(List<Job<RawPayload>> claims) {
        for (Job<RawPayload> claim : claims) {
            var unused = jobs.processor().putBack(database, claim).exceptionally(error -> {
                LOG.debug("{} could not be put back; its claim expires", claim, error);
                return null;
            });
        }
    }
}
