package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.RootCauses;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Follows the changes of a database with one source after another. Before each it compares the identity of the
 * database, and starts again if that has changed. While the listener is busy, it reads at most one batch ahead. The
 * next source begins after the rows of the last one have been delivered: at once if the last one has lasted, or the
 * feed has advanced with it. Otherwise pauses grow, because a server may ignore the position and bring the same rows
 * each time.
 */
final class HttpChangesFeed implements ChangesFeed, FeedSource.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(HttpChangesFeed.class);

    /** Receives the events of a feed. */
    interface Owner {
        /** The feed has found the database. */
        void found();

        /** Another database has taken the place of the one that was followed. */
        void replaced();

        void closed(HttpChangesFeed feed);
    }

    private final CouchSettings settings;
    private final Address address;
    private final Transport transport;
    private final DatabaseIdentity identity;
    private final FeedRestart restart;
    private final BatchDelivery delivery;
    private final Owner owner;

    private final Inbox inbox;
    private final FeedMode mode = new FeedMode();
    private FeedPosition position;
    private @Nullable FeedSource source;
    /** The server's position at which the last source has begun. */
    private @Nullable JsonNode begunAt;
    /** Whether the server has refused a position since it accepted one. */
    private boolean wasPositionRefused;

    private Optional<FeedSource.End> end = Optional.empty();
    private boolean sourceWaits;
    /** The batch that the listener processes; null if there is none, or it was lost. */
    private @Nullable Object underWay;

    private boolean isClosed;

    HttpChangesFeed(
            CouchSettings settings,
            Address address,
            Transport transport,
            DatabaseIdentity identity,
            Backoff backoff,
            @Nullable JsonNode since,
            ChangesListener listener,
            Owner owner) {
        this.settings = settings;
        this.address = address;
        this.transport = transport;
        this.identity = identity;
        this.restart = new FeedRestart(settings, address, backoff, this::begin);
        this.delivery = new BatchDelivery(settings, listener);
        this.position = FeedPosition.of(since);
        this.owner = owner;
        this.inbox = new Inbox(settings.batch());
    }

    void begin() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
        }
        var unused = CompletableFuture.completedFuture(identity)
                .thenCompose(DatabaseIdentity::look)
                .thenAccept(this::beginIn)
                .whenComplete((begun, thrown) -> {
                    if (thrown != null) {
                        beginLater(RootCauses.of(thrown));
                    }
                });
    }

    /** Ends a source that may have begun, so that there is one at a time. */
    private void beginLater(Throwable thrown) {
        drop();
        if (thrown instanceof Error) { // otherwise the feed would end in silence
            restart.afterError(thrown);
        } else {
            restart.afterFault(TransientException.of(thrown));
        }
    }

    /** Ends the source, and forgets its rows that the listener has not processed. */
    private void drop() {
        FeedSource dropped;
        synchronized (this) {
            underWay = null;
            inbox.clear();
            end = Optional.empty();
            dropped = source;
            source = null;
        }
        if (dropped != null) {
            dropped.cancel();
        }
    }

    private void beginIn(Optional<String> database) {
        FeedSource next;
        boolean wasReplaced;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            end = Optional.empty();
            sourceWaits = false;
            wasReplaced = position.isOfAnotherThan(database);
            position = position.in(database);
            begunAt = position.since();
            next = mode.isPolling()
                    ? new PollingSource(settings, address, transport, position.since(), this)
                    : new ContinuousSource(settings, address, transport, position.since(), this);
            source = next;
        }
        if (wasReplaced) {
            LOG.warn(
                    "{}: another database has taken the place of the one that was followed; the feed starts" + " again",
                    address);
        }
        owner.found();
        next.begin();
        if (wasReplaced) {
            owner.replaced();
        }
    }

    @Override
    public boolean rows(FeedSource from, List<FeedRow> rows) {
        boolean readOn;
        synchronized (this) {
            if (from != source || isClosed) {
                return false;
            }
            inbox.add(rows);
            readOn = !inbox.isFull();
            sourceWaits = !readOn;
        }
        deliver();
        return readOn;
    }

    @Override
    public void heartbeat(FeedSource from) {
        restart.alive();
    }

    @Override
    public void ended(FeedSource from, FeedSource.End how) {
        synchronized (this) {
            if (from != source) {
                return;
            }
            end = Optional.of(how);
        }
        goOn();
    }

    private void deliver() {
        Inbox.Batch batch;
        JsonNode behind;
        synchronized (this) {
            if (underWay != null || isClosed || inbox.isEmpty()) {
                return;
            }
            batch = inbox.take();
            behind = position.stored(batch.position());
            underWay = batch;
        }
        readAhead();
        var unused = delivery.deliver(batch, behind).whenComplete((done, thrown) -> {
            if (thrown == null) {
                delivered(batch);
            } else {
                startOver(batch, thrown);
            }
        });
    }

    private synchronized boolean isUnderWay(Object batch) {
        return batch == underWay;
    }

    private void delivered(Inbox.Batch batch) {
        synchronized (this) {
            if (!isUnderWay(batch)) {
                return;
            }
            underWay = null;
            position = position.at(batch.position());
        }
        restart.delivered();
        deliver();
        goOn();
    }

    private void readAhead() {
        FeedSource waiting;
        synchronized (this) {
            if (!sourceWaits || inbox.isFull() || isClosed) {
                return;
            }
            sourceWaits = false;
            waiting = source;
        }
        if (waiting != null) {
            waiting.demand();
        }
    }

    /** Repeats a batch that the listener has not processed, and all changes after it. */
    private void startOver(Inbox.Batch batch, Throwable thrown) {
        boolean hasAdvanced;
        synchronized (this) {
            if (isClosed || !isUnderWay(batch)) {
                return;
            }
            hasAdvanced = hasAdvanced();
        }
        drop();
        if (hasAdvanced) {
            restart.useful();
        }
        restart.afterUndelivered(thrown);
    }

    /** Continues with the next source when all rows of the last one have been delivered. */
    private void goOn() {
        FeedSource.End ended;
        boolean wasUseful;
        synchronized (this) {
            if (isClosed || underWay != null || !inbox.isEmpty() || end.isEmpty()) {
                return;
            }
            ended = end.get();
            end = Optional.empty();
            source = null;
            position = ended.position().map(position::at).orElse(position);
            wasUseful = ended.hasLasted() || (ended.hasRows() && hasAdvanced());
            wasPositionRefused &= !wasUseful || begunAt == null;
            noteMode(ended);
        }
        if (wasUseful) {
            restart.useful();
        }
        if (ended.fault().isPresent()) {
            after(ended.fault().get());
        } else if (wasUseful) {
            begin();
        } else {
            restart.afterUselessSource();
        }
    }

    /** {@return whether the position is another than that at which the last source has begun} */
    private synchronized boolean hasAdvanced() {
        return !Objects.equals(begunAt, position.since());
    }

    private void noteMode(FeedSource.End ended) {
        if (mode.update(ended)) {
            LOG.info("{}: changes are {} from now on", address, mode.isPolling() ? "polled" : "streamed");
        }
    }

    private void after(RuntimeException thrown) {
        boolean isRefused = thrown instanceof CouchException refusal && refusal.status() == 400;
        if (isRefused && forgetPosition()) {
            LOG.warn(
                    "{}: the database refuses the position of the feed, which starts again: {}",
                    address,
                    thrown.getMessage());
            begin();
        } else {
            restart.afterFault(thrown);
        }
    }

    /** {@return whether to start again at once: not if the server refuses one position after another} */
    private synchronized boolean forgetPosition() {
        boolean hadOne = position.since() != null;
        boolean isFirst = hadOne && !wasPositionRefused;
        wasPositionRefused |= hadOne;
        position = position.at(null);
        return isFirst;
    }

    @Override
    public void close() {
        FeedSource last;
        synchronized (this) {
            isClosed = true;
            inbox.clear();
            last = source;
        }
        restart.close();
        if (last != null) {
            last.cancel();
        }
        owner.closed(this);
    }
}
