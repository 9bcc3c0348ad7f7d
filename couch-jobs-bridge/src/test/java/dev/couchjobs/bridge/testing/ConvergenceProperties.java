package dev.couchjobs.bridge.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** All replicas are equal in the end, whatever is edited and replicated in which order. */
class ConvergenceProperties {
    private static final int REPLICAS = 3;
    private static final int DOCUMENTS = 2;
    private static final int TEXTS = 3;

    private final List<ModelCouchDatabase> replicas = IntStream.range(0, REPLICAS)
            .mapToObj(replica -> new ModelCouchDatabase("of " + replica, new SplittableRandom(replica), () -> {}))
            .toList();
    /** The revisions of all accepted writes. */
    private final Map<String, Set<String>> written = new TreeMap<>();

    @Property(tries = 500)
    void replicasConvergeToTheSameLeavesWithTheSameWinner(
            @ForAll @Size(max = 60) List<@IntRange(max = 1_000_000) Integer> choices) {
        choices.forEach(choice -> act(new Choice(choice)));
        replicateAll(0, 1, 2, 1, 0);

        for (ModelCouchDatabase replica : replicas) {
            assertThat(replica.revisions()).isEqualTo(replicas.get(0).revisions());
            for (String id : replica.ids()) {
                assertThat(replica.leaves(id)).isEqualTo(replicas.get(0).leaves(id));
                assertThat(written.get(id)).allMatch(revision -> replica.knows(id, revision));
            }
        }
        assertThat(replicas.get(0).ids()).containsExactlyElementsOf(written.keySet());
    }

    /** A random number from which decisions are drawn one by one. */
    private static final class Choice {
        private int left;

        Choice(int number) {
            left = number;
        }

        int below(int bound) {
            int chosen = left % bound;
            left /= bound;
            return chosen;
        }
    }

    private void act(Choice choice) {
        ModelCouchDatabase replica = replicas.get(choice.below(REPLICAS));
        String id = "document-" + choice.below(DOCUMENTS);
        if (choice.below(3) == 0) {
            List<Branch> branches = new ArrayList<>(replica.branches(id));
            if (!branches.isEmpty()) { // one of them, as if the others had not arrived
                replicas.get(choice.below(REPLICAS)).graft(id, branches.get(choice.below(branches.size())));
            }
        } else {
            edit(replica, id, choice);
        }
    }

    /** Edits the winning leaf or another, or a deleted one. There are few texts, so that equal edits occur. */
    private void edit(ModelCouchDatabase replica, String id, Choice choice) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", id);
        List<Leaf> leaves = replica.leaves(id);
        int onto = choice.below(leaves.size() + 1);
        if (onto < leaves.size()) {
            document.put("_rev", leaves.get(onto).revision());
        }
        if (choice.below(4) == 0) {
            document.put("_deleted", true);
        }
        document.put("text", choice.below(TEXTS));
        if (replica.write(document) instanceof WriteResult.Accepted accepted) {
            written.computeIfAbsent(id, unknown -> new TreeSet<>()).add(accepted.revision());
        }
    }

    private void replicateAll(int... chain) {
        for (int i = 0; i + 1 < chain.length; i++) {
            ModelCouchDatabase to = replicas.get(chain[i + 1]);
            ModelCouchDatabase from = replicas.get(chain[i]);
            from.ids().forEach(id -> from.branches(id).forEach(branch -> to.graft(id, branch)));
        }
    }
}
