package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.verbs.ChangeVerbs;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The calls that wait for changes. Those for one type share a {@link ChangeWatch}, and so do those for any type. */
public final class ChangeWaits implements AutoCloseable {
    private final Instance instance;

    /** By the name of the type; empty for all types. */
    private final ServiceRegistry<Optional<String>, ChangeWatch> watches = new ServiceRegistry<>(ChangeWatch::close);

    public ChangeWaits(Instance instance) {
        this.instance = instance;
    }

    /** {@return whether there may be changes of a type after a sequence; false after the timeout} */
    public CompletableFuture<Boolean> await(JobType<?, ?> type, Versionstamp since, Duration timeout) {
        TypeKeys keys = instance.keyspace().type(type.name());
        return await(Optional.of(type.name()), new WatchedKeys.OfType(keys), since, timeout);
    }

    /** {@return whether there may be changes of any type after a sequence; false after the timeout} */
    public CompletableFuture<Boolean> awaitAny(Versionstamp since, Duration timeout) {
        return await(Optional.empty(), new WatchedKeys.OfAllTypes(instance.keyspace()), since, timeout);
    }

    private CompletableFuture<Boolean> await(
            Optional<String> typeName, WatchedKeys keys, Versionstamp since, Duration timeout) {
        ChangeVerbs.requireComplete(since);
        Duration longest = Durations.limit("timeout", timeout);
        ChangeWatch.WaitCall call = new ChangeWatch.WaitCall(since, longest.isZero(), new CompletableFuture<>());
        try {
            synchronized (this) {
                watches.get(typeName, unused -> watch(typeName, keys)).add(call);
            }
        } catch (CouchJobsClosedException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (!longest.isZero() && !call.result().isDone()) {
            Future<?> timer = instance.environment()
                    .scheduler()
                    .schedule(
                            () -> instance.executor()
                                    .execute(() -> call.result().complete(false)),
                            TimerDelays.nanos(timeout),
                            TimeUnit.NANOSECONDS);
            var unused = call.result().whenComplete((value, error) -> timer.cancel(false));
        }
        return call.result();
    }

    private ChangeWatch watch(Optional<String> typeName, WatchedKeys keys) {
        return new ChangeWatch(instance, typeName, keys, () -> closeIfUnused(typeName));
    }

    /** Closes an unused watch. Calls are added with the same lock held, so none is added to a closed one. */
    private synchronized void closeIfUnused(Optional<String> typeName) {
        if (watches.ifPresent(typeName).filter(ChangeWatch::isUnused).isPresent()) {
            watches.release(typeName);
        }
    }

    @Override
    public void close() {
        watches.close();
    }
}
