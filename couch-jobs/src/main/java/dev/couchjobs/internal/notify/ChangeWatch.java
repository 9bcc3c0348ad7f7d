package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Watches for changes of one type, or of all, for all calls in this process that wait for them.
 *
 * <p>A round reads the last change, and arms the watches that have fired in the same transaction. While they are armed,
 * a further call costs nothing. Without calls there is no round after the next change, and after a minute no watch.
 */
final class ChangeWatch implements AutoCloseable {
    /** How long the watches are kept without calls: most callers read, and wait again. */
    private static final Duration UNUSED_TIMEOUT = Duration.ofMinutes(1);

    /** The poll interval while there are more keys than are watched. */
    private static final Duration UNWATCHED_POLL_INTERVAL = Duration.ofSeconds(1);

    private final Database database;
    private final Executor executor;
    private final Transactions transactions;
    private final WatchedKeys keys;
    private final WatchLooks looks;
    private final Runnable onUnused;
    private final Loop loop;

    @GuardedBy("this") private final Set<WaitCall> calls = new LinkedHashSet<>();

    /** The armed watches, by the names of their keys. */
    @GuardedBy("this") private final Map<String, CompletableFuture<Void>> armed = new HashMap<>();

    /** Ends the pause of the present round when a watch fires. */
    @GuardedBy("this") private CompletableFuture<Void> change = new CompletableFuture<>();

    /** Whether each change after {@link #lastChange} fires a watch. */
    @GuardedBy("this") private boolean isArmed;

    @GuardedBy("this") private boolean mustPoll;

    @GuardedBy("this") private boolean wasUnused;

    @GuardedBy("this") private boolean closed;

    @GuardedBy("this") private Optional<Versionstamp> lastChange = Optional.empty();

    /**
     * A call that waits.
     *
     * @param since the call waits for changes after this sequence
     * @param isOneLook whether the next round answers it in any case
     * @param result completes with whether there may be changes
     */
    record WaitCall(Versionstamp since, boolean isOneLook, CompletableFuture<Boolean> result) {
        boolean isAnsweredBy(Optional<Versionstamp> lastChange) {
            return lastChange
                    .filter(last -> IncompleteVersionstamps.isInOrAfterCommit(last, since))
                    .isPresent();
        }

        /** Compares by identity: calls with the same arguments are different calls. */
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** @param onUnused runs when there was no call for a while */
    ChangeWatch(Instance instance, Optional<String> typeName, WatchedKeys keys, Runnable onUnused) {
        this.database = instance.database();
        this.executor = instance.executor();
        this.transactions = instance.transactions().named("await changes", typeName.orElse(""));
        this.keys = keys;
        this.looks = instance.looks();
        this.onUnused = onUnused;
        this.loop =
                new Loop("watch for changes of " + typeName.orElse("all types"), instance.environment(), this::round);
        var unused = loop.ended().thenRun(this::close); // with its database: no round answers a call any more
    }

    void add(WaitCall call) {
        boolean isAnswered;
        boolean needsRound;
        synchronized (this) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            calls.add(call);
            isAnswered = isArmed && call.isAnsweredBy(lastChange);
            needsRound = !isAnswered && (!isArmed || call.isOneLook());
        }
        var unused = call.result().whenComplete((value, error) -> remove(call));
        if (isAnswered) {
            answer(call, true);
        } else if (needsRound) {
            loop.wakeUp();
        }
    }

    private void answer(WaitCall call, boolean hasChanges) {
        executor.execute(() -> call.result().complete(hasChanges));
    }

    private void remove(WaitCall call) {
        boolean wasLast;
        synchronized (this) {
            wasLast = calls.remove(call) && calls.isEmpty();
        }
        if (wasLast) {
            loop.wakeUp(); // begins the time after which the watches are given up
        }
    }

    synchronized boolean isUnused() {
        return calls.isEmpty();
    }

    private CompletableFuture<Pause> round() {
        List<WaitCall> waiting;
        Set<String> alreadyArmed;
        boolean isGivenUp;
        synchronized (this) {
            waiting = List.copyOf(calls);
            isGivenUp = waiting.isEmpty() && wasUnused;
            wasUnused = waiting.isEmpty();
            boolean isOneLook = waiting.stream().anyMatch(WaitCall::isOneLook);
            if (!isGivenUp) {
                if (waiting.isEmpty() || (isArmed && !mustPoll && !isOneLook)) {
                    answerKnown(waiting);
                    return CompletableFuture.completedFuture(pause());
                }
                change = new CompletableFuture<>();
            }
            alreadyArmed = new HashSet<>(armed.keySet());
        }
        if (isGivenUp) {
            onUnused.run();
            return CompletableFuture.completedFuture(pause()); // a call may have been added meanwhile
        }
        return CompletableFuture.completedFuture(alreadyArmed)
                // within the chain, because this throws if the database is closed
                .thenCompose(names -> transactions.run(database, tx -> keys.read(tx, names)))
                .whenComplete((reading, error) -> {
                    if (error != null) {
                        waiting.forEach(call -> fail(call, RootCauses.of(error)));
                    }
                })
                .thenApply(reading -> {
                    arm(reading);
                    for (WaitCall call : waiting) {
                        boolean isAnswered = call.isAnsweredBy(reading.lastChange());
                        if (isAnswered || call.isOneLook()) {
                            answer(call, isAnswered);
                        }
                    }
                    return pause();
                });
    }

    /** Answers calls that came during the last round, which has seen a change that they wait for. */
    @GuardedBy("this") private void answerKnown(List<WaitCall> waiting) {
        Optional<Versionstamp> known = lastChange;
        waiting.stream().filter(call -> call.isAnsweredBy(known)).forEach(call -> answer(call, true));
    }

    private void fail(WaitCall call, Throwable error) {
        executor.execute(() -> call.result().completeExceptionally(error));
    }

    private void arm(WatchedKeys.Reading reading) {
        Map<String, CompletableFuture<Void>> watches = new HashMap<>();
        synchronized (this) {
            if (closed) {
                reading.armed().values().forEach(ArmedWatch::cancel);
                return;
            }
            reading.armed().forEach((name, watch) -> watches.put(name, looks.await(watch)));
            armed.putAll(watches);
            lastChange = reading.lastChange();
            isArmed = armed.keySet().containsAll(reading.names());
            mustPoll = !reading.isComplete();
        }
        watches.forEach((name, watch) -> {
            var unused = watch.whenComplete((value, error) -> fired(name, watch, error));
        });
    }

    /** Ends the pause, unless this process has cancelled the watch. */
    private void fired(String name, CompletableFuture<Void> watch, @Nullable Throwable error) {
        CompletableFuture<Void> pauseEnd;
        synchronized (this) {
            if (!armed.remove(name, watch)) {
                return;
            }
            isArmed = false;
            pauseEnd = change;
        }
        if (error == null) {
            pauseEnd.complete(null);
        } else {
            pauseEnd.completeExceptionally(error); // the loop backs off, and then reads
        }
    }

    private synchronized Pause pause() {
        Pause untilChange = Pause.until(change.copy()); // the end of the pause cancels only the copy
        if (calls.isEmpty()) {
            return untilChange.cappedAt(UNUSED_TIMEOUT);
        }
        return mustPoll ? untilChange.cappedAt(UNWATCHED_POLL_INTERVAL) : untilChange;
    }

    /** Fails all calls, and cancels the watches. */
    @Override
    public void close() {
        List<WaitCall> open;
        List<CompletableFuture<Void>> watches;
        synchronized (this) {
            closed = true;
            isArmed = false;
            open = List.copyOf(calls);
            watches = List.copyOf(armed.values());
            armed.clear();
        }
        loop.close();
        watches.forEach(watch -> watch.cancel(false));
        open.forEach(call -> fail(call, new CouchJobsClosedException()));
    }
}
