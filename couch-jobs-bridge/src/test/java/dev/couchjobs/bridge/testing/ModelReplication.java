package dev.couchjobs.bridge.testing;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replicates the leaves of a database to another, with their histories, until it is cancelled. It reads changes in
 * batches. The documents of a batch arrive in any order, each in the version at the time of its read. A batch that does
 * not arrive completely is repeated.
 */
public final class ModelReplication {
    private static final int BATCH = 20;
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final Endpoint source;
    private final Endpoint target;
    private final Predicate<ObjectNode> selector;
    private final CouchNetwork network;

    private @Nullable ModelPosition checkpoint;
    private String targetIncarnation = "";
    private boolean idle;
    private boolean cancelled;

    ModelReplication(Endpoint source, Endpoint target, Predicate<ObjectNode> selector, CouchNetwork network) {
        this.source = source;
        this.target = target;
        this.selector = selector;
        this.network = network;
    }

    /** Ends the replication; documents under way may still arrive. */
    public void cancel() {
        cancelled = true;
        idle = true;
    }

    /** {@return whether all documents have arrived} */
    public boolean isIdle() {
        return idle;
    }

    void begin() {
        network.execute(this::turn);
    }

    private void turn() {
        if (cancelled) {
            return;
        }
        idle = false;
        if (!isPossible()) {
            network.after(PAUSE, this::turn);
            return;
        }
        beginAnewIfTargetIsNew();
        Changes changes = at(source).changes(checkpoint, BATCH);
        if (changes.rows().isEmpty()) {
            idle = true;
            source.server().whenChanged(this::wake);
        } else {
            new Batch(changes).begin();
        }
    }

    private void wake() {
        idle = false;
        network.send(CouchFault.SLOW_REPLICATION, this::turn);
    }

    /** A replicator continues only if it finds its checkpoint on both sides. */
    private void beginAnewIfTargetIsNew() {
        String incarnation = at(target).incarnation();
        if (!incarnation.equals(targetIncarnation)) {
            targetIncarnation = incarnation;
            checkpoint = null;
        }
    }

    private boolean isPossible() {
        return source.reach().isPresent()
                && target.reach().isPresent()
                && network.joins(source.server(), target.server());
    }

    private static ModelCouchDatabase at(Endpoint endpoint) {
        return endpoint.reach().orElseThrow();
    }

    /** Changes under way. */
    private final class Batch {
        private final Changes changes;
        private int underWay;
        private boolean failed;

        Batch(Changes changes) {
            this.changes = changes;
            this.underWay = changes.rows().size();
        }

        void begin() {
            changes.rows().forEach(row -> network.send(CouchFault.SLOW_REPLICATION, () -> fetch(row.id())));
        }

        private void fetch(String id) {
            if (!isPossible()) {
                over(false);
                return;
            }
            List<Branch> branches = at(source).branches(id).stream()
                    .filter(branch -> selector.test(branch.body()))
                    .toList();
            network.send(CouchFault.SLOW_REPLICATION, () -> put(id, branches));
        }

        private void put(String id, List<Branch> branches) {
            if (!isPossible()) {
                over(false);
                return;
            }
            boolean partly = network.strikes(CouchFault.PARTIAL_REPLICATION);
            for (Branch branch : branches) {
                if (!partly || network.random().nextBoolean()) {
                    at(target).graft(id, branch);
                }
            }
            over(!partly);
        }

        private void over(boolean arrived) {
            failed |= !arrived;
            if (--underWay > 0) {
                return;
            }
            if (failed) {
                network.after(PAUSE, ModelReplication.this::turn);
            } else {
                checkpoint = changes.position();
                turn();
            }
        }
    }

    @Override
    public String toString() {
        return source + " -> " + target;
    }
}
