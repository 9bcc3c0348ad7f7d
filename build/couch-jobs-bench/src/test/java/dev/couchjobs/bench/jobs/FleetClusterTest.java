package dev.couchjobs.bench.jobs;

/** On a FoundationDB cluster. */
class FleetClusterTest extends FleetSuite {
    FleetClusterTest() {
        super(SystemKind.CLUSTER);
    }
}
