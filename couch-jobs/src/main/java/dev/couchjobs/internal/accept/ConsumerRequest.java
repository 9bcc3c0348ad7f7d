package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The request of a {@link ClaimConsumer}. It stays with its acceptor until the subscription is closed. */
final class ConsumerRequest<D> implements ClaimRequest<D>, ClaimSubscription {
    private final ClaimConsumer<D> consumer;
    private final ClaimCriteria criteria;
    private final Runnable wakeUp;
    private final Supplier<Optional<JoiningClaim>> join;
    private final Function<ClaimRequest<D>, CompletableFuture<?>> onClose;

    @GuardedBy("this") private boolean closed;

    /** Completes when the current claim has ended; null between claims. */
    @GuardedBy("this") private @Nullable CompletableFuture<Void> currentClaim;

    @GuardedBy("this") private ClaimCriteria currentCriteria;

    /**
     * @param wakeUp wakes the acceptor
     * @param join lends the acceptor's next claim
     * @param onClose removes this request from the acceptor; the result completes when the process has resigned
     */
    ConsumerRequest(
            ClaimConsumer<D> consumer,
            ClaimCriteria criteria,
            Runnable wakeUp,
            Supplier<Optional<JoiningClaim>> join,
            Function<ClaimRequest<D>, CompletableFuture<?>> onClose) {
        this.consumer = consumer;
        this.criteria = criteria;
        this.currentCriteria = criteria;
        this.wakeUp = wakeUp;
        this.join = join;
        this.onClose = onClose;
    }

    @Override
    public synchronized ClaimCriteria criteria() {
        return currentCriteria;
    }

    @Override
    public int beginClaim() {
        synchronized (this) {
            if (closed) {
                return 0;
            }
            currentClaim = new CompletableFuture<>();
        }
        ClaimConsumer.Demand demand = consumer.reserve();
        synchronized (this) {
            currentCriteria =
                    criteria.with(demand.isFree() ? WorkStart.WITH_CLAIM_OF_ONE : WorkStart.LATER, demand.suspects());
        }
        return demand.jobs();
    }

    @Override
    public Optional<String> by() {
        return Optional.empty();
    }

    @Override
    public boolean isOneShot() {
        return false;
    }

    @Override
    public boolean isNonBlocking() {
        return false;
    }

    @Override
    public void deliver(List<GrantedClaim<D>> jobs, int prefetchMax, ClaimReleaser claimReleaser) {
        consumer.deliver(jobs, prefetchMax);
    }

    @Override
    public void completeEmpty() {}

    @Override
    public void claimEnded() {
        CompletableFuture<Void> ended;
        synchronized (this) {
            ended = currentClaim;
            currentClaim = null;
        }
        if (ended != null) {
            consumer.claimEnded();
            ended.complete(null);
        }
    }

    /** Does nothing: the acceptor's loop backs off and claims again. */
    @Override
    public void fail(Throwable error) {}

    @Override
    public void demandChanged() {
        wakeUp.run();
    }

    @Override
    public Optional<JoiningClaim> join() {
        return join.get();
    }

    @Override
    public CompletableFuture<?> close() {
        CompletableFuture<?> lastClaim;
        synchronized (this) {
            lastClaim = currentClaim == null ? CompletableFuture.completedFuture(consumer) : currentClaim;
            if (closed) {
                return lastClaim;
            }
            closed = true;
        }
        return CompletableFuture.allOf(lastClaim, onClose.apply(this));
    }
}
