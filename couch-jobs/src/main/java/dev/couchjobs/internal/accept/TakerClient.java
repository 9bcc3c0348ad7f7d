package dev.couchjobs.internal.accept;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link Taker}, which comes back after every claim until it closes its intake. */
final class TakerClient<D> implements Client<D>, Intake {
    private final Taker<D> taker;
    private final AcceptMode mode;
    private final Runnable poke;
    private final Function<Client<D>, CompletableFuture<?>> onClose;

    // Guarded by this.
    private boolean closed;
    private @Nullable CompletableFuture<Void> claim;
    private AcceptMode wanted;

    TakerClient(Taker<D> taker, AcceptMode mode, Runnable poke, Function<Client<D>, CompletableFuture<?>> onClose) {
        this.taker = taker;
        this.mode = mode;
        this.wanted = mode;
        this.poke = poke;
        this.onClose = onClose;
    }

    @Override
    public synchronized AcceptMode mode() {
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
        Taker.Room room = taker.reserve();
        synchronized (this) {
            wanted = mode.with(room.isFree() ? Beginning.WITH_CLAIM_OF_ONE : Beginning.LATER, room.suspects());
        }
        return room.jobs();
    }

    @Override
    public boolean isServedAtOnce() {
        return false;
    }

    @Override
    public void give(List<Claimed<D>> jobs, HandBack handBack) {
        taker.take(jobs);
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
            taker.claimEnded();
            ended.complete(null);
        }
    }

    /** The loop backs off and tries again. */
    @Override
    public void fail(Throwable error) {}

    @Override
    public void poke() {
        poke.run();
    }

    @Override
    public CompletableFuture<?> close() {
        CompletableFuture<?> last;
        synchronized (this) {
            if (closed) {
                return claim == null ? CompletableFuture.completedFuture(taker) : claim;
            }
            closed = true;
            last = claim == null ? CompletableFuture.completedFuture(taker) : claim;
        }
        return CompletableFuture.allOf(last, onClose.apply(this));
    }
}
