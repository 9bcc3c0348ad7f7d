package dev.couchjobs.bridge.internal.nodes;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports a node, and applies the settings that are wanted for it. One transaction does both: every 15 seconds, when
 * the wanted settings change, and when they were applied.
 */
public final class NodeControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeControl.class);
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    /** How long settings that could not be applied rest before they are tried again. */
    private static final Duration TRIED_AGAIN_AFTER = Duration.ofMinutes(1);

    private static final Duration LAST_REPORT = Duration.ofSeconds(2);

    private final NodeRows rows;
    private final NodeEnvironment node;
    private final Controlled bridge;
    private final Instant startedAt;
    private final Loop loop;

    private volatile WantedSettings applied = WantedSettings.NONE;
    private volatile @Nullable Refusal refusal;
    private volatile boolean isClosed;
    /** Completes when the present round has reported. */
    private volatile CompletableFuture<Void> reporting = CompletableFuture.completedFuture(null);
    /** Used by one round at a time. */
    private CompletableFuture<Void> applying = CompletableFuture.completedFuture(null);

    /** The bridge of the node. */
    public interface Controlled {
        /** {@return how the bridge is at present} */
        NodeReport.RunState state();

        /** {@return whether it has stopped by itself} */
        boolean hasStopped();

        /** {@return where its store is} */
        NodeReport.StorePlace store();

        /**
         * Applies settings. Called again only after the last call has completed.
         *
         * @return completes when they are in effect; fails with the reason if they cannot be, and others stay in effect
         */
        CompletableFuture<Void> apply(BridgeSettings settings);

        /** {@return the position in the feed} */
        CompletableFuture<Optional<String>> position(Transaction tx);
    }

    /** Settings that could not be applied. */
    private record Refusal(long revision, String reason, Instant at) {}

    /** What a round has read. */
    private record Round(WantedSettings wanted, CompletableFuture<Void> watch) {}

    /** Creates a control that reports nothing yet. None of the wanted settings are in effect. */
    public NodeControl(NodeRows rows, NodeEnvironment node, Controlled bridge) {
        this.rows = rows;
        this.node = node;
        this.bridge = bridge;
        this.startedAt = now();
        this.loop = new Loop("report of node " + node.name(), node.environment(), node.executor(), this::round);
    }

    /** {@return the wanted settings that are in effect} */
    public WantedSettings applied() {
        return applied;
    }

    /** From now on reports that these settings are in effect. */
    public void applied(WantedSettings settings) {
        refusal = null;
        applied = settings;
    }

    /** From now on reports that these settings cannot be applied. */
    public void refused(WantedSettings settings, Throwable error) {
        String reason = reason(RootCauses.of(error));
        LOG.warn("Node {} cannot apply its wanted settings: {}", node.name(), reason);
        refusal = new Refusal(settings.revision(), reason, now());
    }

    /** Reports now, and from then on. */
    public void report() {
        loop.wakeUp();
    }

    private CompletableFuture<Pause> round() {
        CompletableFuture<Void> reported = new CompletableFuture<>();
        reporting = reported;
        if (isClosed) { // read after that write: close() waits for this round, or this round writes nothing
            reported.complete(null);
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        // Within the chain: if this throws, the round has ended, too.
        return CompletableFuture.completedFuture(node)
                .thenCompose(own -> own.run("report a node", this::write))
                .whenComplete((round, error) -> reported.complete(null))
                .thenApply(this::obey);
    }

    private CompletableFuture<Round> write(Transaction tx) {
        CompletableFuture<WantedSettings> wanted = rows.wanted(tx, node.name());
        return report(tx).thenCombine(wanted, (done, settings) -> new Round(settings, rows.watch(tx, node.name())));
    }

    private CompletableFuture<Void> report(Transaction tx) {
        return tx.getReadVersion().thenCombine(bridge.position(tx), (version, position) -> {
            rows.report(tx, node.name(), report(version, position));
            return null;
        });
    }

    private NodeReport report(long version, Optional<String> position) {
        boolean hasEnded =
                isClosed || bridge.hasStopped(); // read first: the state of a bridge that has stopped says why
        NodeReport.RunState state = bridge.state();
        List<String> faults = new ArrayList<>(state.faults());
        Refusal present = refusal;
        if (present != null) {
            faults.add(
                    0,
                    "revision " + present.revision() + " of the wanted settings cannot be applied: "
                            + OneLine.of(present.reason()));
        }
        return new NodeReport(
                version,
                hasEnded,
                node.process(),
                node.version(),
                startedAt,
                now(),
                bridge.store(),
                node.servers(),
                new NodeReport.RunState(
                        state.address(),
                        state.isConnected(),
                        state.settings(),
                        faults,
                        state.steps(),
                        state.running(),
                        state.resources()),
                position,
                applied.revision(),
                Optional.of(applied.settings()));
    }

    private Pause obey(Round round) {
        WantedSettings wanted = round.wanted();
        Pause next = Pause.until(round.watch()).cappedAt(INTERVAL);
        if (applying.isDone() && applied.revision() != wanted.revision() && !isRefused(wanted)) {
            apply(wanted);
        }
        return next;
    }

    private boolean isRefused(WantedSettings wanted) {
        Refusal last = refusal;
        return last != null
                && last.revision() == wanted.revision()
                && last.at().plus(TRIED_AGAIN_AFTER).isAfter(now());
    }

    private void apply(WantedSettings wanted) {
        applying = new CompletableFuture<>();
        CompletableFuture<Void> present = applying;
        // Within the chain: if this throws, that too is a refusal.
        var change = CompletableFuture.completedFuture(wanted.settings()).thenCompose(bridge::apply);
        var unused = change.whenComplete((done, error) -> {
            if (error == null) {
                LOG.info("Node {} has applied revision {} of its wanted settings", node.name(), wanted.revision());
                applied(wanted);
            } else {
                refused(wanted, error);
            }
            present.complete(null);
            loop.wakeUp();
        });
    }

    private static String reason(Throwable cause) {
        return Optional.ofNullable(cause.getMessage()).orElse(cause.toString());
    }

    private Instant now() {
        return node.environment().clock().instant();
    }

    /** Reports that the node has ended, and waits for a report that is under way: for two seconds at most. */
    @Override
    public void close() {
        isClosed = true;
        loop.close();
        CompletableFuture<Void> report = CompletableFuture.completedFuture(node)
                .thenCompose(own -> own.run("report the end of a node", this::report)); // a closed database throws
        CompletableFuture<Void> last = CompletableFuture.allOf(report, reporting);
        var timer = node.environment()
                .scheduler()
                .schedule(() -> last.cancel(false), LAST_REPORT.toMillis(), TimeUnit.MILLISECONDS);
        last.handle((done, error) -> timer.cancel(false)).join();
    }
}
