package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link ClaimConsumer}, which comes back after every claim until it closes its intake. */
final class ConsumerRequest<D> implements ClaimRequest<D>, ClaimSubscription {
    private final ClaimConsumer<D> consumer;
    private final ClaimCriteria criteria;
    private final Runnable wakeUp;
    private final Function<ClaimRequest<D>, CompletableFuture<?>> onClose;

    @GuardedBy("this") private boolean closed;

    @GuardedBy("this") private @Nullable CompletableFuture<Void> claim;

    @GuardedBy("this") private ClaimCriteria wanted;

    ConsumerRequest(
            ClaimConsumer<D> consumer,
            ClaimCriteria criteria,
            Runnable wakeUp,
            Function<ClaimRequest<D>, CompletableFuture<?>> onClose) {
        this.consumer = consumer;
        this.criteria = criteria;
        this.wanted = criteria;
        this.wakeUp = wakeUp;
        this.onClose = onClose;
    }

    @Override
    public synchronized ClaimCriteria criteria() {
        return wanted;
    }

    @Override
    public int wanted() {
        synchronized (this) {
            if (closed) {
                return 0;
            }
            claim = new CompletableFuture<>();
        }
        ClaimConsumer.Demand demand = consumer.reserve();
        synchronized (this) {
            wanted = criteria.with(demand.isFree() ? WorkStart.WITH_CLAIM_OF_ONE : WorkStart.LATER, demand.suspects());
        }
        return demand.jobs();
    }

    @Override
    public boolean isServedAtOnce() {
        return false;
    }

    @Override
    public void give(List<GrantedClaim<D>> jobs, ClaimReleaser claimReleaser) {
        consumer.take(jobs);
    }

    @Override
    public boolean leavesWithNothing() {
        return false;
    }

    @Override
    public void leave() {}

    @Override
    public void claimEnded() {
        CompletableFuture<Void> ended;
        synchronized (this) {
            ended = claim;
            claim = null;
        }
        if (ended != null) {
            consumer.claimEnded();
            ended.complete(null);
        }
    }

    /** The loop backs off and tries again. */
    @Override
    public void fail(Throwable error) {}

    @Override
    public void demandChanged() {
        wakeUp.run();
    }

    @Override
    public CompletableFuture<?> close() {
        CompletableFuture<?> last;
        synchronized (this) {
            if (closed) {
                return claim == null ? CompletableFuture.completedFuture(consumer) : claim;
            }
            closed = true;
            last = claim == null ? CompletableFuture.completedFuture(consumer) : claim;
        }
        return CompletableFuture.allOf(last, onClose.apply(this));
    }
}
