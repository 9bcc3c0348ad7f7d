package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The turns of calls that claim once and are made for several types, each of which has an acceptor of its own. Only one
 * of their claims can commit, and each loads data. So they claim one after another, and all of them hold together what
 * one claim holds.
 */
final class CallTurns {
    /** By {@link CallRow#identity}. */
    @GuardedBy("this") private final Map<Object, Turn> turns = new HashMap<>();

    /** The turn of an acceptor for the calls that repeat each other. It is kept while one of them needs it. */
    private static final class Turn {
        AcceptCall.Accepting holder;
        /** Calls for which the holder claims. */
        final Set<AcceptCall<?, ?>> claiming = new HashSet<>(1);
        /** Calls for which the holder has been woken to claim. */
        final Set<AcceptCall<?, ?>> called = new LinkedHashSet<>(0);
        /** Calls of other acceptors. */
        final Set<AcceptCall<?, ?>> waiting = new LinkedHashSet<>(0);

        Turn(AcceptCall.Accepting holder) {
            this.holder = holder;
        }
    }

    /** {@return whether a call may claim now} Otherwise its acceptor is woken when it may. */
    synchronized boolean begin(Object identity, AcceptCall<?, ?> call) {
        Turn turn = turns.computeIfAbsent(identity, unused -> new Turn(call.acceptor()));
        if (turn.holder.equals(call.acceptor())) {
            turn.called.remove(call);
            turn.claiming.add(call);
            return true;
        }
        if (!call.isDone()) { // it would not leave again
            turn.waiting.add(call);
        }
        return false;
    }

    /** Ends the claim of a call, if it had begun. */
    void end(Object identity, AcceptCall<?, ?> call) {
        wakeNext(identity, turn -> turn.claiming.remove(call));
    }

    /** Ends a call, which claims no more; a claim that it has begun ends later. */
    void leave(Object identity, AcceptCall<?, ?> call) {
        wakeNext(identity, turn -> {
            turn.waiting.remove(call);
            return turn.called.remove(call);
        });
    }

    /** @param change says whether it has taken a call from the holder; runs with the lock */
    private void wakeNext(Object identity, Predicate<Turn> change) {
        AcceptCall.Accepting next = null;
        synchronized (this) {
            Turn turn = turns.get(identity);
            if (turn != null && change.test(turn) && turn.claiming.isEmpty() && turn.called.isEmpty()) {
                next = pass(identity, turn);
            }
        }
        if (next != null) {
            next.wakeUp().run();
        }
    }

    @GuardedBy("this") private AcceptCall.@Nullable Accepting pass(Object identity, Turn turn) {
        Optional<AcceptCall<?, ?>> next = turn.waiting.stream().findFirst();
        if (next.isEmpty()) {
            turns.remove(identity);
            return null;
        }
        turn.holder = next.get().acceptor();
        turn.waiting.stream()
                .filter(call -> call.acceptor().equals(turn.holder))
                .forEach(turn.called::add);
        turn.waiting.removeAll(turn.called);
        return turn.holder;
    }
}
