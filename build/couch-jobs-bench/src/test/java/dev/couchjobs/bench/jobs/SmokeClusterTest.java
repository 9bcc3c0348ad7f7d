package dev.couchjobs.bench.jobs;

/** On a FoundationDB cluster. */
class SmokeClusterTest extends SmokeSuite {
    SmokeClusterTest() {
        super(SystemKind.CLUSTER);
    }
}
