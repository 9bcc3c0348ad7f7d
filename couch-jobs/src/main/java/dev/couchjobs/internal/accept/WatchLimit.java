package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Limits the number of types that a process watches for new jobs, because a FoundationDB client has few watches. Types
 * in use precede other types (rfc/018). A refused acceptor is woken when its type comes into use.
 *
 * @param <A> an acceptor
 */
final class WatchLimit<A> {
    private final int max;
    private final Predicate<A> isInUse;
    private final Consumer<A> wake;

    /** The acceptors that may watch, in the order of their last calls of {@link #mayWatch}. */
    @GuardedBy("this") private final Set<A> watching = new LinkedHashSet<>();

    /** The acceptors that may not watch. */
    @GuardedBy("this") private final Set<A> refused = new LinkedHashSet<>();

    /** Whether a search has found all watched types in use since {@link #wakeInUse}. Each poll would search again. */
    @GuardedBy("this") private boolean areAllInUse;

    /**
     * @param max how many acceptors may watch
     * @param isInUse whether the type of an acceptor is in use, as far as this process knows
     * @param wake wakes an acceptor, which then calls {@link #mayWatch} again
     */
    WatchLimit(int max, Predicate<A> isInUse, Consumer<A> wake) {
        this.max = max;
        this.isInUse = isInUse;
        this.wake = wake;
    }

    /** {@return whether an acceptor may watch if it finds no job} An acceptor calls this before each claim. */
    boolean mayWatch(A acceptor) {
        Optional<A> replaced = Optional.empty();
        synchronized (this) {
            boolean watched = watching.remove(acceptor);
            if (!watched && watching.size() >= max) {
                replaced = isInUse.test(acceptor) ? oldestNotInUse() : Optional.empty();
                if (replaced.isEmpty()) {
                    refused.add(acceptor);
                    return false;
                }
                watching.remove(replaced.get());
            }
            refused.remove(acceptor);
            watching.add(acceptor);
        }
        replaced.ifPresent(wake);
        return true;
    }

    @GuardedBy("this") private Optional<A> oldestNotInUse() {
        if (areAllInUse) {
            return Optional.empty();
        }
        Optional<A> oldest = watching.stream().filter(isInUse.negate()).findFirst();
        areAllInUse = oldest.isEmpty();
        return oldest;
    }

    /** {@return whether a refused acceptor has to poll, because its type is in use} */
    boolean mustPoll(A acceptor) {
        return isInUse.test(acceptor);
    }

    /** {@return whether an acceptor waits that may not watch} */
    synchronized boolean isReached() {
        return !refused.isEmpty();
    }

    /** Removes an acceptor that no longer waits for jobs. */
    synchronized void remove(A acceptor) {
        watching.remove(acceptor);
        refused.remove(acceptor);
        areAllInUse = false;
    }

    /** Wakes the refused acceptors whose types are in use. Call it when types have come into use, or are no longer. */
    void wakeInUse() {
        List<A> toWake;
        synchronized (this) {
            areAllInUse = false;
            toWake = refused.stream().filter(isInUse).toList();
        }
        toWake.forEach(wake);
    }
}
