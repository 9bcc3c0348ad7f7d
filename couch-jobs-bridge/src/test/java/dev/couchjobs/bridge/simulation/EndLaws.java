package dev.couchjobs.bridge.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
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

/** The laws that hold at the end, after a time without faults. */
final class EndLaws {
    private static final Set<String> ENDS = Set.of("success", "failed", "cancelled");
    /** The rows of the store that must be gone. */
    private static final Set<String> PASSING = Set.of("out", "slot", "retry", "queue", "granted");

    private final BridgeScenario scenario;
    private final Simulation simulation;
    private final ModelCouch couch;
    private final List<BridgeNode> nodes;
    private final Collection<ScenarioDocument> documents;
    private final ActionJournal journal;

    EndLaws(
            BridgeScenario scenario,
            Simulation simulation,
            ModelCouch couch,
            List<BridgeNode> nodes,
            Collection<ScenarioDocument> documents,
            ActionJournal journal) {
        this.scenario = scenario;
        this.simulation = simulation;
        this.couch = couch;
        this.nodes = nodes;
        this.documents = documents;
        this.journal = journal;
    }

    /** {@return what has not reached its final state; an error if it does not change any more} */
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
            documents.forEach(scenarioDocument -> unfinished(node, scenarioDocument, all));
            rows(node, all);
        }
        return all;
    }

    private void unfinished(BridgeNode node, ScenarioDocument scenarioDocument, List<String> all) {
        List<Leaf> leaves = node.database().leaves(scenarioDocument.id());
        String where = scenarioDocument.id() + " at " + node.name();
        if (leaves.isEmpty()) {
            all.add(where + " is not there");
            return;
        }
        if (leaves.stream().filter(leaf -> !leaf.isDeleted()).count() > 1) {
            all.add(where + " has leaves in conflict");
        }
        JsonNode body = leaves.get(0).body();
        if (leaves.get(0).isDeleted()) {
            if (!scenarioDocument.personEdits().contains(PersonEdit.DELETE)) {
                all.add(where + " was deleted");
            }
            return;
        }
        if (!ENDS.contains(body.path("job_status").asString(""))) {
            all.add(where + " has no end: " + body);
        } else if (!scenarioDocument.personEdits().contains(PersonEdit.CORRUPT)
                && !scenarioDocument.personEdits().contains(PersonEdit.CHANGE)
                && body.path("job").valueStream().anyMatch(EndLaws::runs)) {
            all.add(where + " has ended, and a step still runs: " + body);
        }
        Optional<DocumentEntry> entry = read(tx -> node.store().find(tx, scenarioDocument.id()));
        if (entry.filter(kept -> kept.documentRole() == DocumentEntry.DocumentRole.LIVE)
                .isPresent()) {
            all.add(where + " is kept as live: " + entry.get() + "; CouchDB has " + body);
        }
    }

    /** The step's own status summarizes those of its nodes, and may be as old as the last of these. */
    private static boolean runs(JsonNode step) {
        return step.has("nodes")
                ? step.path("nodes").valueStream().anyMatch(EndLaws::runs)
                : step.path("step_status").asString("").equals("running");
    }

    private void rows(BridgeNode node, List<String> all) {
        List<KeyValue> rows = read(tx ->
                tx.getRange(node.root().subspace(Tuple.from("store")).range()).asList());
        for (KeyValue row : rows) {
            Tuple key = node.root().subspace(Tuple.from("store")).unpack(row.getKey());
            if (PASSING.contains(key.getString(0))) {
                all.add(node.name() + " still has the row " + key);
            }
        }
        CouchJobs jobs = CouchJobs.builder(simulation.database())
                .subspace(node.root().subspace(Tuple.from("jobs")))
                .build();
        for (String type : read(tx -> jobs.types().getTypes(tx))) {
            JobCounts counts = read(tx -> jobs.counts(tx, JobType.of(type, Object.class)));
            // A work item whose outcome CouchDB refuses leaves a failed job.
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

    /** Checks the final state. */
    void check() {
        for (ScenarioDocument scenarioDocument : documents) {
            Leaf leaf = nodes.get(0).database().leaves(scenarioDocument.id()).get(0);
            if (!leaf.isDeleted()) {
                check(scenarioDocument, leaf);
            }
        }
    }

    private void check(ScenarioDocument scenarioDocument, Leaf leaf) {
        JsonNode body = leaf.body();
        String status = body.path("job_status").asString("");
        if (!status.equals("success") && !status.equals("cancelled")) {
            require(!body.path("reason").asString("").isEmpty(), scenarioDocument, "gives no reason", body);
        }
        if (scenarioDocument.isBroken()) {
            boolean isEnded = status.equals("failed") || !scenarioDocument.isLeftAlone();
            require(isEnded && journal.of(scenarioDocument.id(), 0).isEmpty(), scenarioDocument, "cannot be run", body);
        } else if (scenarioDocument.isLeftAlone()) {
            require(
                    status.equals(scenarioDocument.succeeds() ? "success" : "failed"),
                    scenarioDocument,
                    "has another end",
                    body);
        } else if (!scenarioDocument.personEdits().contains(PersonEdit.TURN_BACK)
                && scenarioDocument.personEdits().stream()
                        .filter(PersonEdit::matters)
                        .toList()
                        .equals(List.of(PersonEdit.CANCEL))) {
            require(status.equals("cancelled"), scenarioDocument, "was cancelled", body);
        }
        if (status.equals("success")) {
            for (int step = 0; step < scenarioDocument.steps().size(); step++) {
                long ended = journal.of(scenarioDocument.id(), step).stream()
                        .filter(each -> each.end == ActionAttempt.End.SUCCESS)
                        .map(each -> each.node)
                        .distinct()
                        .count();
                require(
                        ended >= scenarioDocument.steps().get(step).runs(),
                        scenarioDocument,
                        "has not done step " + step,
                        body);
            }
        }
        if (scenario.isCalm() && !scenario.hasClosings()) {
            frugal(scenarioDocument, leaf);
        }
    }

    private void frugal(ScenarioDocument scenarioDocument, Leaf leaf) {
        int most = 1;
        for (int step = 0; step < scenarioDocument.steps().size(); step++) {
            ScenarioStep scenarioStep = scenarioDocument.steps().get(step);
            boolean isClaimed = scenario.isReplicated() && !scenarioStep.isTargeted() && !scenarioStep.isForAll();
            // A node that won a step ahead, and has no free slot when it begins, withdraws its claim.
            boolean wasLetGo =
                    leaf.body().path("job").path(step).path("withdrawn").asInt(0) > 0;
            most += (isClaimed ? (wasLetGo ? 5 : 4) : 2) * scenarioStep.runs();
        }
        boolean hadConflicts =
                nodes.get(0).database().leaves(scenarioDocument.id()).size() > 1;
        int revisions =
                Integer.parseInt(leaf.revision().substring(0, leaf.revision().indexOf('-')));
        require(hadConflicts || revisions <= most, scenarioDocument, "has " + revisions + " revisions", leaf.body());
    }

    private void require(boolean held, ScenarioDocument scenarioDocument, String otherwise, JsonNode body) {
        if (!held) {
            throw new AssertionError(scenarioDocument.id() + " " + otherwise + "; people: "
                    + scenarioDocument.personEdits() + "; it was put as "
                    + scenarioDocument.body() + " and is " + body + "\n  "
                    + String.join(
                            "\n  ",
                            journal.attempts().stream()
                                    .filter(each -> each.document.equals(scenarioDocument.id()))
                                    .map(ActionAttempt::toString)
                                    .toList()));
        }
    }
}
