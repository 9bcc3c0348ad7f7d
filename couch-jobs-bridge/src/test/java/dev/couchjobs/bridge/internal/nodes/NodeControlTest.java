package dev.couchjobs.bridge.internal.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeControlTest {
    private static final String NODE = "alpha";

    private final NodeRows rows = new NodeRows("prefix");

    private final CompletableFuture<Void> isWritten = new CompletableFuture<>();
    private final CompletableFuture<Void> first = new CompletableFuture<>();

    /** {@return a database whose first transaction commits when the second one has} */
    private Database firstLate(Database database) {
        CompletableFuture<Void> mayCommit = new CompletableFuture<>();
        AtomicBoolean hasBegun = new AtomicBoolean();
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, given) -> {
                    if (!method.getName().equals("runAsync")) {
                        return method.invoke(database, given);
                    }
                    @SuppressWarnings("unchecked")
                    var body = (Function<Transaction, CompletableFuture<Object>>) given[0];
                    if (!hasBegun.compareAndSet(false, true)) {
                        CompletableFuture<Object> report = database.runAsync(body);
                        var unused = report.thenRun(() -> mayCommit.complete(null));
                        return report;
                    }
                    CompletableFuture<Object> report =
                            database.runAsync(tx -> body.apply(tx).thenCompose(result -> {
                                isWritten.complete(null);
                                return mayCommit.thenApply(done -> result);
                            }));
                    var unused = report.whenComplete((result, error) -> first.complete(null));
                    return report;
                });
    }

    private void endWhileItReports(Database database) {
        NodeControl control = new NodeControl(
                rows,
                new NodeEnvironment(NODE, "process", "1", List.of(), firstLate(database), Environment.system()),
                new IdleBridge());
        control.report();
        isWritten.join();
        control.close();
    }

    @Test
    void aReportThatIsUnderWayDoesNotReplaceTheLastOne() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            endWhileItReports(database);
            first.join();

            assertThat(database.readAsync(tx -> rows.report(tx, NODE)).join().orElseThrow())
                    .returns(true, NodeReport::hasEnded);
        }
    }

    @Test
    void aNodeThatIsRemovedAfterItsEndStaysRemoved() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            endWhileItReports(database);
            database.runAsync(tx -> rows.remove(tx, NODE)).join();
            first.join();

            assertThat(database.readAsync(tx -> rows.report(tx, NODE)).join()).isEmpty();
        }
    }

    @Test
    void aNodeWhoseDatabaseIsClosedEnds() {
        Database database = EmbeddedDatabase.openInMemory();
        NodeControl control = new NodeControl(
                rows,
                new NodeEnvironment(NODE, "process", "1", List.of(), database, Environment.system()),
                new IdleBridge());
        database.close();

        assertThatNoException().isThrownBy(control::close);
    }

    /** A report that says that no other follows has the reason. */
    @Test
    void aBridgeThatStopsWhileItIsReportedHasNotEndedYet() {
        CompletableFuture<Object> first = new CompletableFuture<>();
        try (Database database = EmbeddedDatabase.openInMemory()) {
            Database watched = (Database) Proxy.newProxyInstance(
                    Database.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, given) -> {
                        Object result = method.invoke(database, given);
                        if (method.getName().equals("runAsync") && result instanceof CompletableFuture<?> report) {
                            var unused = report.thenAccept(first::complete);
                        }
                        return result;
                    });
            NodeControl control = new NodeControl(
                    rows,
                    new NodeEnvironment(NODE, "process", "1", List.of(), watched, Environment.system()),
                    new StoppingBridge());
            control.report();
            first.join();

            assertThat(database.readAsync(tx -> rows.report(tx, NODE)).join().orElseThrow())
                    .returns(false, NodeReport::hasEnded);
            control.close();
        }
    }

    /** Stops when its state has been read. */
    private static final class StoppingBridge extends IdleBridge {
        private volatile boolean isStopped;

        @Override
        public NodeReport.RunState state() {
            NodeReport.RunState state = super.state();
            isStopped = true;
            return state;
        }

        @Override
        public boolean hasStopped() {
            return isStopped;
        }
    }

    private static class IdleBridge implements NodeControl.Controlled {
        @Override
        public NodeReport.RunState state() {
            return new NodeReport.RunState(
                    "http://127.0.0.1:1/jobs",
                    false,
                    BridgeSettings.none(),
                    List.of(),
                    List.of(),
                    0,
                    new BridgeNode.Resources(0, 1, OptionalDouble.empty()));
        }

        @Override
        public boolean hasStopped() {
            return false;
        }

        @Override
        public NodeReport.StorePlace store() {
            return new NodeReport.StorePlace(false, new TreeSet<>(List.of(NODE)), new TreeMap<>(), "feed");
        }

        @Override
        public CompletableFuture<Void> apply(BridgeSettings settings) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Optional<String>> position(Transaction tx) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }
}
