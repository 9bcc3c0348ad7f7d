package dev.couchjobs.faults;

import org.junit.jupiter.api.Nested;

/** The fault suites on the embedded engine in memory: in virtual time, and where that is quick in real time. */
class InMemoryFaultsTest {
    private static final long SEED = 7;

    @Nested
    class Verbs extends VerbsContract {
        @Override
        Stage openStage() {
            return new VirtualStage(SEED);
        }
    }

    @Nested
    class Interleavings extends InterleavingsContract {
        @Override
        Stage openStage() {
            return new VirtualStage(SEED);
        }
    }

    @Nested
    class OwnTransaction extends OwnTransactionContract {
        @Override
        Stage openStage() {
            return new VirtualStage(SEED);
        }
    }

    @Nested
    class WorkerFinish extends WorkerFinishContract {
        @Override
        Stage openStage() {
            return new VirtualStage(SEED);
        }
    }

    @Nested
    class Loops extends LoopsContract {
        @Override
        Stage openStage() {
            return new VirtualStage(SEED);
        }
    }

    @Nested
    class InterleavingsOnThreads extends InterleavingsContract {
        @Override
        Stage openStage() {
            return RealStage.inMemory();
        }
    }

    @Nested
    class OwnTransactionOnThreads extends OwnTransactionContract {
        @Override
        Stage openStage() {
            return RealStage.inMemory();
        }
    }
}
