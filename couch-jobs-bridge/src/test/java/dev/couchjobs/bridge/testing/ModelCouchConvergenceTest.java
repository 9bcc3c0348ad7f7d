package dev.couchjobs.bridge.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** All replicas are equal in the end, whatever is edited and replicated in which order. */
class ModelCouchConvergenceTest {

    @Test
    void replicasConvergeToTheSameLeavesWithTheSameWinner() {
        Samples.check(500, samples -> {
            Replicas replicas = new Replicas();
            // Long histories have revision trees of many branches.
            for (int left = samples.between(0, samples.isOneOf(20) ? 300 : 60); left > 0; left--) {
                replicas.act(samples);
            }
            replicas.replicateAll(0, 1, 2, 1, 0);
            replicas.assertEqual();
        });
    }

    private static final class Replicas {
        private static final int REPLICAS = 3;

        private final List<ModelCouchDatabase> replicas = IntStream.range(0, REPLICAS)
                .mapToObj(replica -> new ModelCouchDatabase("of " + replica, new SplittableRandom(replica), () -> {}))
                .toList();
        /** The revisions of all accepted writes. */
        private final Map<String, Set<String>> written = new TreeMap<>();

        void act(Samples samples) {
            ModelCouchDatabase replica = samples.of(replicas);
            String id = samples.of("document-0", "document-1");
            if (samples.isOneOf(3)) {
                List<Branch> branches = new ArrayList<>(replica.branches(id));
                if (!branches.isEmpty()) { // one of them, as if the others had not arrived
                    samples.of(replicas).graft(id, samples.of(branches));
                }
            } else {
                edit(replica, id, samples);
            }
        }

        /** Edits the winning leaf or another, or a deleted one. There are few texts, so that equal edits occur. */
        private void edit(ModelCouchDatabase replica, String id, Samples samples) {
            ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", id);
            List<Leaf> leaves = replica.leaves(id);
            int onto = samples.between(0, leaves.size());
            if (onto < leaves.size()) {
                document.put("_rev", leaves.get(onto).revision());
            }
            if (samples.isOneOf(4)) {
                document.put("_deleted", true);
            }
            document.put("text", samples.between(0, 2));
            if (replica.write(document) instanceof WriteResult.Accepted accepted) {
                written.computeIfAbsent(id, unknown -> new TreeSet<>()).add(accepted.revision());
            }
        }

        void replicateAll(int... chain) {
            for (int i = 0; i + 1 < chain.length; i++) {
                ModelCouchDatabase to = replicas.get(chain[i + 1]);
                ModelCouchDatabase from = replicas.get(chain[i]);
                from.ids().forEach(id -> from.branches(id).forEach(branch -> to.graft(id, branch)));
            }
        }

        void assertEqual() {
            for (ModelCouchDatabase replica : replicas) {
                assertThat(replica.revisions()).isEqualTo(replicas.get(0).revisions());
                for (String id : replica.ids()) {
                    assertThat(replica.leaves(id)).isEqualTo(replicas.get(0).leaves(id));
                    assertThat(written.get(id)).allMatch(revision -> replica.knows(id, revision));
                }
            }
            assertThat(replicas.get(0).ids()).containsExactlyElementsOf(written.keySet());
        }
    }
}
