package dev.couchjobs.bench.jobs;

/** On the engine that needs nothing installed. */
class FleetSuiteTest extends FleetSuite {
    FleetSuiteTest() {
        super(SystemKind.IN_MEMORY);
    }
}
