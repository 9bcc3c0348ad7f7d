package dev.couchjobs.bench.jobs;

/** On the engine that needs nothing installed. */
class FleetTest extends FleetSuite {
    FleetTest() {
        super(SystemKind.IN_MEMORY);
    }
}
