package dev.couchjobs.faults;

import org.junit.jupiter.api.Nested;

/** The fault suites on a running FoundationDB cluster, in real time: see the profile fdb. */
class FaultsClusterTest {

    @Nested
    class Verbs extends VerbsContract {
        @Override
        Stage openStage() {
            return RealStage.onCluster();
        }
    }

    @Nested
    class Interleavings extends InterleavingsContract {
        @Override
        Stage openStage() {
            return RealStage.onCluster();
        }
    }

    @Nested
    class OwnTransaction extends OwnTransactionContract {
        @Override
        Stage openStage() {
            return RealStage.onCluster();
        }
    }

    @Nested
    class WorkerFinish extends WorkerFinishContract {
        @Override
        Stage openStage() {
            return RealStage.onCluster();
        }
    }

    @Nested
    class Loops extends LoopsContract {
        @Override
        Stage openStage() {
            return RealStage.onCluster();
        }
    }
}
