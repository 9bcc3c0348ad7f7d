package dev.couchjobs.bridge.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.testing.ModelCouch;
import dev.couchjobs.fdb.simulation.Simulation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** What has to have become of everything when nothing goes wrong any more. */
final class EndLaws {
    private static final Set<String> ENDS = Set.of("success", "failed", "cancelled");
    /** The rows of the ledger that nothing is left in. */
    private static final Set<String> PASSING = Set.of("out", "seat", "rest", "line", "given");

    private final BridgeScenario scenario;
    private final Simulation simulation;
    private final ModelCouch couch;
    private final List<BridgeNode> nodes;
    private final Collection<Task> tasks;
    private final Journal journal;

    EndLaws(
            BridgeScenario scenario,
            Simulation simulation,
            ModelCouch couch,
            List<BridgeNode> nodes,
            Collection<Task> tasks,
            Journal journal) {
        this.scenario = scenario;
        this.simulation = simulation;
        this.couch = couch;
        this.nodes = nodes;
        this.tasks = tasks;
        this.journal = journal;
    }

    /** {@return what is not yet as it will be; if it stays so, it is wrong} */
    List<String> unfinished() {
        List<String> all = new ArrayList<>();
        if (!couch.isSettled()) {
            all.add("replication goes on");
        }
        for (BridgeNode node : nodes) {
            if (!node.database().revisions().equals(nodes.get(0).database().revisions())) {
                all.add(node.name() + " has other revisions than "
                        + nodes.get(0).name());
            }
            tasks.forEach(task -> unfinished(node, task, all));
            rows(node, all);
        }
        return all;
    }

    private void unfinished(BridgeNode node, Task task, List<String> all) {
        List<Leaf> leaves = node.database().leaves(task.id());
        String where = task.id() + " at " + node.name();
        if (leaves.isEmpty()) {
            all.add(where + " is not there");
            return;
        }
        if (leaves.stream().filter(leaf -> !leaf.isDeleted()).count() > 1) {
            all.add(where + " has leaves in conflict");
        }
        JsonNode body = leaves.get(0).body();
        if (leaves.get(0).isDeleted()) {
            if (!task.deeds().contains(Deed.DELETE)) {
                all.add(where + " was deleted");
            }
            return;
        }
        if (!ENDS.contains(body.path("job_status").asString(""))) {
            all.add(where + " has no end: " + body);
        } else if (!task.deeds().contains(Deed.CORRUPT)
                && !task.deeds().contains(Deed.CHANGE)
                && body.path("job").valueStream().anyMatch(EndLaws::runs)) {
            all.add(where + " has ended, and a step still runs: " + body);
        }
        Optional<Entry> entry = read(tx -> node.ledger().find(tx, task.id()));
        if (entry.filter(kept -> kept.standing() == Entry.Standing.LIVE).isPresent()) {
            all.add(where + " is kept as live: " + entry.get() + "; CouchDB has " + body);
        }
    }

    /** The step's own word sums up what its nodes say, and may be as old as the last of these. */
    private static boolean runs(JsonNode step) {
        return step.has("nodes")
                ? step.path("nodes").valueStream().anyMatch(EndLaws::runs)
                : step.path("step_status").asString("").equals("running");
    }

    private void rows(BridgeNode node, List<String> all) {
        List<KeyValue> rows = read(tx ->
                tx.getRange(node.root().subspace(Tuple.from("ledger")).range()).asList());
        for (KeyValue row : rows) {
            Tuple key = node.root().subspace(Tuple.from("ledger")).unpack(row.getKey());
            if (PASSING.contains(key.getString(0))) {
                all.add(node.name() + " still has the row " + key);
            }
        }
        CouchJobs jobs = CouchJobs.builder(simulation.database())
                .subspace(node.root().subspace(Tuple.from("jobs")))
                .build();
        for (String type : read(jobs::getTypes)) {
            JobCounts counts = read(tx -> jobs.counts(tx, JobType.of(type, Object.class)));
            // A work item of which CouchDB takes nothing leaves its job behind as failed.
            long failed = type.startsWith("work/") ? 0 : counts.failed();
            if (counts.pending() + counts.running() + counts.blocked() + failed > 0) {
                all.add(node.name() + " has jobs of type " + type + ": " + counts);
            }
        }
    }

    private <T> T read(Function<ReadTransaction, CompletableFuture<T>> question) {
        Database database = simulation.database();
        return simulation.await(database.readAsync(question));
    }

    /** Looks at what does not change any more. */
    void check() {
        for (Task task : tasks) {
            Leaf leaf = nodes.get(0).database().leaves(task.id()).get(0);
            if (!leaf.isDeleted()) {
                check(task, leaf);
            }
        }
    }

    private void check(Task task, Leaf leaf) {
        JsonNode body = leaf.body();
        String status = body.path("job_status").asString("");
        if (!status.equals("success") && !status.equals("cancelled")) {
            require(!body.path("reason").asString("").isEmpty(), task, "gives no reason", body);
        }
        if (task.isBroken()) {
            boolean isEnded = status.equals("failed") || !task.isLeftAlone();
            require(isEnded && journal.of(task.id(), 0).isEmpty(), task, "cannot be run", body);
        } else if (task.isLeftAlone()) {
            require(status.equals(task.succeeds() ? "success" : "failed"), task, "has another end", body);
        } else if (!task.deeds().contains(Deed.TURN_BACK)
                && task.deeds().stream().filter(Deed::matters).toList().equals(List.of(Deed.CANCEL))) {
            require(status.equals("cancelled"), task, "was cancelled", body);
        }
        if (status.equals("success")) {
            for (int step = 0; step < task.parts().size(); step++) {
                long ended = journal.of(task.id(), step).stream()
                        .filter(each -> each.end == Attempt.End.SUCCESS)
                        .map(each -> each.node)
                        .distinct()
                        .count();
                require(ended >= task.parts().get(step).runs(), task, "has not done step " + step, body);
            }
        }
        if (scenario.isCalm() && !scenario.hasClosings()) {
            frugal(task, leaf);
        }
    }

    private void frugal(Task task, Leaf leaf) {
        int most = 1;
        for (int step = 0; step < task.parts().size(); step++) {
            Part part = task.parts().get(step);
            boolean isClaimed = scenario.isReplicated() && !part.isTargeted() && !part.isForAll();
            // Named for a step ahead, a node that then has no worker free for it lets it go.
            boolean wasLetGo =
                    leaf.body().path("job").path(step).path("withdrawn").asInt(0) > 0;
            most += (isClaimed ? (wasLetGo ? 5 : 4) : 2) * part.runs();
        }
        boolean hadConflicts = nodes.get(0).database().leaves(task.id()).size() > 1;
        int revisions =
                Integer.parseInt(leaf.revision().substring(0, leaf.revision().indexOf('-')));
        require(hadConflicts || revisions <= most, task, "has " + revisions + " revisions", leaf.body());
    }

    private void require(boolean held, Task task, String otherwise, JsonNode body) {
        if (!held) {
            throw new AssertionError(task.id() + " " + otherwise + "; people: " + task.deeds() + "; it was put as "
                    + task.body() + " and is " + body + "\n  "
                    + String.join(
                            "\n  ",
                            journal.attempts().stream()
                                    .filter(each -> each.document.equals(task.id()))
                                    .map(Attempt::toString)
                                    .toList()));
        }
    }
}
