package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Follows the changes of a database with one source after another. Before each it compares the identity of the
 * database, and starts again if that has changed. While the listener is busy, it reads at most one batch ahead. The
 * next source begins after the rows of the last one have been delivered.
 */
final class HttpChangesFeed implements ChangesFeed, FeedSource.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(HttpChangesFeed.class);
    /** The time limit for a batch, in time limits of requests: a listener may need several requests. */
    private static final int TIMEOUTS_OF_A_BATCH = 5;
    /** How often this limit doubles while batches are lost in a row, so that a slow one completes at last. */
    private static final int DOUBLINGS = 8;

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
    private final Backoff backoff;
    private final ThrottledWarnings throttledWarnings;
    /** Warnings about a failing listener, which an answer of the server does not settle. */
    private final ThrottledWarnings undelivered;

    private final ChangesListener listener;
    private final Owner owner;

    private final Inbox inbox;
    private final FeedMode mode = new FeedMode();
    private FeedPosition position;
    private @Nullable FeedSource source;
    private Optional<FeedSource.End> end = Optional.empty();
    private @Nullable Future<?> pause;
    private boolean sourceWaits;
    private boolean isDelivering;
    /** The batch that the listener processes; null if there is none, or it was lost. */
    private @Nullable Object underWay;

    private int lostInARow;
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
        this.backoff = backoff;
        this.throttledWarnings = new ThrottledWarnings(address);
        this.undelivered = new ThrottledWarnings(address);
        this.position = FeedPosition.of(since);
        this.listener = listener;
        this.owner = owner;
        this.inbox = new Inbox(settings.batch());
    }

    void begin() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
        }
        var unused = identity.look().whenComplete((database, thrown) -> {
            if (thrown == null) {
                beginIn(database);
            } else {
                waitOut(TransientException.of(thrown));
            }
        });
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
            next = mode.isPolling()
                    ? new PollingSource(settings, address, transport, position.since(), this)
                    : new ContinuousSource(settings, address, transport, position.since(), this);
            source = next;
        }
        if (wasReplaced) {
            LOG.warn("{}: the database is not the one that was followed before; all of it is read again", address);
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
        throttledWarnings.settle();
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
        synchronized (this) {
            if (isDelivering || isClosed || inbox.isEmpty()) {
                return;
            }
            isDelivering = true;
            batch = inbox.take();
            underWay = batch;
        }
        readAhead();
        Duration limit = settings.timeout().multipliedBy((long) TIMEOUTS_OF_A_BATCH << lost());
        Future<?> timer = settings.environment()
                .scheduler()
                .schedule(
                        () -> settings.executor().execute(() -> lost(batch, limit)),
                        limit.toNanos(),
                        TimeUnit.NANOSECONDS);
        var unused = told(batch).whenComplete((done, thrown) -> {
            timer.cancel(false);
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

    private synchronized int lost() {
        return Math.min(lostInARow, DOUBLINGS);
    }

    /**
     * A batch whose future does not complete in time counts as lost, because it would stop the feed. Its changes are
     * repeated.
     */
    private void lost(Inbox.Batch batch, Duration limit) {
        synchronized (this) {
            lostInARow++;
        }
        startOver(
                batch,
                new TimeoutException(
                        batch.changes().size() + " changes were not dealt with within " + limit.toSeconds() + " s"));
    }

    private CompletableFuture<Void> told(Inbox.Batch batch) {
        try {
            return listener.changed(batch.changes(), behind(batch));
        } catch (Throwable e) { // also an error, which would stop the feed
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized JsonNode behind(Inbox.Batch batch) {
        return position.stored(batch.position());
    }

    private void delivered(Inbox.Batch batch) {
        synchronized (this) {
            if (!isUnderWay(batch)) {
                return;
            }
            underWay = null;
            lostInARow = 0;
            isDelivering = false;
            position = position.at(batch.position());
        }
        backoff.reset();
        throttledWarnings.settle();
        undelivered.settle();
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
        FeedSource failed;
        synchronized (this) {
            if (isClosed || !isUnderWay(batch)) {
                return;
            }
            underWay = null;
            isDelivering = false;
            inbox.clear();
            end = Optional.empty();
            failed = source;
            source = null;
        }
        if (failed != null) {
            failed.cancel();
        }
        undelivered.make("changes could not be dealt with, and are read again", thrown);
        restartLater(new TransientException("The listener failed"));
    }

    /** Continues with the next source when all rows of the last one have been delivered. */
    private void goOn() {
        FeedSource.End ended;
        synchronized (this) {
            if (isClosed || isDelivering || !inbox.isEmpty() || end.isEmpty()) {
                return;
            }
            ended = end.get();
            end = Optional.empty();
            source = null;
            position = ended.position().map(position::at).orElse(position);
            noteMode(ended);
        }
        if (ended.wasUseful()) {
            backoff.reset();
        }
        if (ended.fault().isPresent()) {
            after(ended.fault().get());
        } else if (ended.wasUseful()) {
            begin();
        } else {
            restartLater(new TransientException("The feed ended at once"));
        }
    }

    private void noteMode(FeedSource.End ended) {
        if (mode.update(ended)) {
            LOG.info("{}: changes are {} from now on", address, mode.isPolling() ? "polled" : "streamed");
        }
    }

    private void after(RuntimeException thrown) {
        if (thrown instanceof CouchException refusal && refusal.status() == 400 && forgetPosition()) {
            LOG.warn(
                    "{}: the database does not know where this feed was, so it begins again: {}",
                    address,
                    refusal.getMessage());
            begin();
        } else {
            waitOut(thrown);
        }
    }

    private void waitOut(RuntimeException thrown) {
        throttledWarnings.make(thrown, backoff);
        restartLater(
                thrown instanceof TransientException fault
                        ? fault
                        : TransientException.slow(String.valueOf(thrown.getMessage())));
    }

    private synchronized boolean forgetPosition() {
        boolean hadOne = position.since() != null;
        position = position.at(null);
        return hadOne;
    }

    private synchronized void restartLater(TransientException fault) {
        if (!isClosed) {
            pause = settings.environment()
                    .scheduler()
                    .schedule(
                            () -> settings.executor().execute(this::begin),
                            backoff.after(fault).toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        FeedSource last;
        synchronized (this) {
            isClosed = true;
            inbox.clear();
            last = source;
            if (pause != null) {
                pause.cancel(false);
            }
        }
        if (last != null) {
            last.cancel();
        }
        owner.closed(this);
    }
}
