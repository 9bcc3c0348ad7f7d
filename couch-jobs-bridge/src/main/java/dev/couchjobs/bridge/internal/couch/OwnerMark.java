package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.RootCauses;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Marks a node's database as that of one bridge, so that a second bridge of the same name is detected. The mark is a
 * local document: CouchDB does not replicate it, and accepts every write to it. Of two bridges that write it at once
 * the later prevails, and the earlier detects this at its next check. The id of its store identifies a bridge; two
 * processes with one id are a restarted bridge, or copies of one directory.
 */
public final class OwnerMark implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerMark.class);
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
    private static final Duration LAST_WRITE = Duration.ofSeconds(2);
    private static final String NAME = "couch-jobs-bridge-";
    private static final int SHORT_ID = 8;

    private final HttpCouchDatabase couch;
    private final Environment environment;
    private final Owner self;
    private final String process;
    private final Consumer<String> whenLost;

    private @Nullable Future<?> timer;
    private boolean isLooking;
    private boolean isOurs;
    private boolean isClosed;
    /** The last write of a claim: the bridge may end before it knows the result. */
    private @Nullable CompletableFuture<HttpCouchDatabase.LocalWrite> marking;
    /** The last pause of a claim. */
    private @Nullable CompletableFuture<?> pause;

    /**
     * The bridge that marks a database.
     *
     * @param node the node's name
     * @param id the id of the bridge's store
     * @param place where the bridge runs, for people
     */
    public record Owner(String node, String id, String place) {}

    /**
     * Creates a mark without writing it.
     *
     * @param whenLost receives the reason, for people, when the database belongs to another bridge; called once; must
     *     not block
     */
    public OwnerMark(HttpCouchDatabase couch, Environment environment, Owner self, Consumer<String> whenLost) {
        this.couch = couch;
        this.environment = environment;
        this.self = self;
        this.whenLost = whenLost;
        this.process =
                new UUID(environment.random().nextLong(), environment.random().nextLong()).toString();
    }

    /** The database belongs to another bridge of the same name. */
    public static final class OwnedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private OwnedException(String message) {
            super(message);
        }
    }

    /**
     * Marks the database, and checks the mark from then on. Waits for a database that does not answer.
     *
     * @param takesOver whether to replace the mark of another bridge
     * @return completes when the mark is written, or when the user must not write it, which is logged; fails with an
     *     {@link OwnedException}
     */
    public CompletableFuture<Void> claim(boolean takesOver) {
        return claim(takesOver, couch.newBackoff());
    }

    private CompletableFuture<Void> claim(boolean takesOver, Backoff pauses) {
        return couch.local(name()).thenCompose(found -> {
            Optional<JsonNode> other = found.filter(mark -> !isOfSelf(mark) && !hasEnded(mark));
            if (other.isPresent() && !takesOver) {
                throw new OwnedException(refusal(other.get()));
            }
            other.ifPresent(mark -> LOG.warn(
                    "Node {}: {} takes over {} from {}", self.node(), describe(), couch.address(), describe(mark)));
            return mark(found).thenCompose(written -> switch (written) {
                case CONFLICT -> claimLater(takesOver, pauses);
                case FORBIDDEN -> unmarked();
                case WRITTEN -> confirm(takesOver, pauses);
            });
        });
    }

    private CompletableFuture<Void> claimLater(boolean takesOver, Backoff pauses) {
        return pause(pauses).thenCompose(over -> claim(takesOver, pauses));
    }

    private synchronized CompletableFuture<?> pause(Backoff pauses) {
        if (isClosed) {
            return ending();
        }
        CompletableFuture<?> over = pauses.pause(environment, couch.executor());
        pause = over;
        return over;
    }

    private static <T> CompletableFuture<T> ending() {
        return CompletableFuture.failedFuture(new CancellationException("the bridge ends"));
    }

    private synchronized CompletableFuture<HttpCouchDatabase.LocalWrite> mark(Optional<JsonNode> before) {
        if (isClosed) {
            return ending();
        }
        CompletableFuture<HttpCouchDatabase.LocalWrite> written = write(before, false);
        marking = written;
        return written;
    }

    /** Of two bridges that start at once the last writer is the owner. */
    private CompletableFuture<Void> confirm(boolean takesOver, Backoff pauses) {
        return couch.local(name()).thenCompose(found -> {
            if (found.filter(this::isOfProcess).isEmpty()) {
                return claimLater(takesOver, pauses);
            }
            watch();
            return done();
        });
    }

    private CompletableFuture<Void> unmarked() {
        LOG.warn(
                "Node {}: the user of the bridge must not write _local/{} in {}, so the bridge cannot detect a"
                        + " second one of this name",
                self.node(),
                name(),
                couch.address());
        return done();
    }

    private synchronized void watch() {
        isOurs = true;
        if (!isClosed && timer == null) {
            timer = environment
                    .scheduler()
                    .scheduleWithFixedDelay(
                            () -> couch.executor().execute(this::look),
                            LOOK_EVERY.toSeconds(),
                            LOOK_EVERY.toSeconds(),
                            TimeUnit.SECONDS);
        }
    }

    private void look() {
        synchronized (this) {
            if (isLooking || isClosed || !isOurs) {
                return;
            }
            isLooking = true;
        }
        var unused = couch.local(name()).thenCompose(this::seen).whenComplete((done, thrown) -> {
            synchronized (this) {
                isLooking = false;
            }
            if (thrown != null) {
                LOG.debug("Node {}: the mark of the owner cannot be read", self.node(), RootCauses.of(thrown));
            }
        });
    }

    private CompletableFuture<Void> seen(Optional<JsonNode> found) {
        Optional<JsonNode> other = found.filter(mark -> !isOfProcess(mark));
        if (other.isEmpty()) {
            // This also marks a database that was created again. The next check detects a conflict.
            return write(found, false).thenCompose(written -> done());
        }
        synchronized (this) {
            isOurs = false;
            marking = null;
            if (isClosed) {
                return done();
            }
        }
        stop();
        whenLost.accept(loss(other.get()));
        return done();
    }

    private CompletableFuture<HttpCouchDatabase.LocalWrite> write(Optional<JsonNode> before, boolean hasEnded) {
        ObjectNode mark = JsonNodeFactory.instance
                .objectNode()
                .put("owner", self.id())
                .put("process", process)
                .put("place", self.place())
                .put(
                        "seen",
                        environment
                                .clock()
                                .instant()
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString());
        if (hasEnded) {
            mark.put("ended", true);
        }
        before.ifPresent(found -> mark.set("_rev", found.path("_rev")));
        return couch.writeLocal(name(), mark);
    }

    private String name() {
        return NAME + self.node();
    }

    private boolean isOfSelf(JsonNode mark) {
        return mark.path("owner").asString("").equals(self.id());
    }

    private boolean isOfProcess(JsonNode mark) {
        return isOfSelf(mark) && mark.path("process").asString("").equals(process);
    }

    private static boolean hasEnded(JsonNode mark) {
        return mark.path("ended").asBoolean(false);
    }

    private String refusal(JsonNode other) {
        return "another bridge of the name " + self.node() + " owns " + couch.address() + ": " + describe(other)
                + ". This one is " + describe()
                + ". Two bridges of one name run steps twice. Give one of them another name; or"
                + " end the other and start this one again; or, if the other is gone for good, start this one once with"
                + " --take-over";
    }

    private String loss(JsonNode other) {
        return isOfSelf(other)
                ? "another process with the same store has taken " + couch.address() + " over: " + describe(other)
                        + ". This one is " + describe() + ". Is one directory a copy of the other? Only one may be used"
                : "another bridge of the name " + self.node() + " has taken " + couch.address() + " over: "
                        + describe(other) + ". This one is " + describe();
    }

    private String describe() {
        return describe(self.id(), self.place());
    }

    private static String describe(JsonNode mark) {
        return describe(mark.path("owner").asString(""), mark.path("place").asString("of an unknown place"))
                + ", seen last at " + mark.path("seen").asString("an unknown time") + " by its clock";
    }

    private static String describe(String id, String place) {
        return id.substring(0, Math.min(SHORT_ID, id.length())) + " (" + place + ")";
    }

    private void stop() {
        CompletableFuture<?> waiting;
        synchronized (this) {
            waiting = pause;
            if (timer != null) {
                timer.cancel(false);
            }
        }
        if (waiting != null) {
            waiting.cancel(false); // without the lock: the claim fails
        }
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** Removes the mark, within a time limit. Call it after the bridge has ended. */
    @Override
    public void close() {
        CompletableFuture<?> marked;
        synchronized (this) {
            // A check that hangs shows that the database does not answer.
            marked = isClosed || isLooking ? null : marking;
            isClosed = true;
        }
        stop();
        if (marked != null) {
            free(marked);
        }
    }

    private void free(CompletableFuture<?> marked) {
        CompletableFuture<Void> freed = marked.handle((written, error) -> name())
                .thenCompose(couch::local)
                .thenCompose(found -> found.filter(this::isOfProcess).isPresent()
                        ? write(found, true).thenCompose(written -> done())
                        : done());
        try {
            freed.get(LAST_WRITE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Node {}: the mark of the owner remains", self.node(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
