package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Limits for how many types a process watches for new jobs, because a client has few watches, and types may be many. A
 * type that is in use is preferred to one that is not (rfc/018). The acceptor of any other type is woken when its type
 * comes into use.
 *
 * @param <A> an acceptor
 */
final class WatchLimit<A> {
    private final int max;
    private final Predicate<A> isInUse;
    private final Consumer<A> wake;

    /** Those that may watch, in the order in which they last asked. */
    @GuardedBy("this") private final Set<A> watching = new LinkedHashSet<>();

    /** Those that have asked and may not. */
    @GuardedBy("this") private final Set<A> refused = new LinkedHashSet<>();

    /**
     * Allows as many.
     *
     * @param max how many acceptors may watch
     * @param isInUse whether the type of an acceptor is in use, as far as this process knows
     * @param wake has an acceptor ask again
     */
    WatchLimit(int max, Predicate<A> isInUse, Consumer<A> wake) {
        this.max = max;
        this.isInUse = isInUse;
        this.wake = wake;
    }

    /** {@return whether an acceptor may watch if it finds no job} It is asked before each look for jobs. */
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
        return watching.stream().filter(isInUse.negate()).findFirst();
    }

    /** {@return whether an acceptor has to look again soon, because it may not watch} */
    boolean mustPoll(A acceptor) {
        return isInUse.test(acceptor);
    }

    /** An acceptor waits for jobs no more. */
    synchronized void leave(A acceptor) {
        watching.remove(acceptor);
        refused.remove(acceptor);
    }

    /** Wakes those that do not watch and whose types are in use. */
    void wakeInUse() {
        List<A> some;
        synchronized (this) {
            some = refused.stream().filter(isInUse).toList();
        }
        some.forEach(wake);
    }
}
