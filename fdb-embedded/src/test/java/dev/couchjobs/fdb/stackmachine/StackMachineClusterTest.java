package dev.couchjobs.fdb.stackmachine;

import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TestCluster;
import org.junit.jupiter.api.Test;

/** The engine does what the cluster does that {@code FDB_CLUSTER_FILE} names: see the profile fdb. */
class StackMachineClusterTest {

    @Test
    void theEngineDoesWhatTheClusterDoes() {
        Programs.of(500, 500).check(inMemory(), cluster(), ApiPrograms::of);
    }

    @Test
    void theEngineReadsWhatTheClusterReads() {
        Programs.of(500, 500).check(inMemory(), cluster(), ReadPrograms::of);
    }

    /** What was fetched before makes a difference on a cluster, so only programs are compared in which nothing was. */
    @Test
    void theEngineReadsNearStampsWhatTheClusterReads() {
        Programs.of(500, 500)
                .check(inMemory(), cluster(), seed -> StampPrograms.single(seed).meetingStamps());
    }

    @Test
    void theEngineKeepsDirectoriesAsTheClusterDoes() {
        Programs.of(100, 100).check(inMemory(), cluster(), DirectoryPrograms::of);
    }

    private static TestedDatabase inMemory() {
        return TestedDatabase.of("the engine in memory", EmbeddedDatabase.openInMemory());
    }

    private static TestedDatabase cluster() {
        return TestedDatabase.of("the cluster", TestCluster.open());
    }
}
