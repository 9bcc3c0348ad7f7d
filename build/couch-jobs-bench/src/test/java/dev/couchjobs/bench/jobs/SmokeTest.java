package dev.couchjobs.bench.jobs;

/** On the engines that need nothing installed. */
class SmokeTest extends SmokeSuite {
    SmokeTest() {
        super(SystemKind.IN_MEMORY, SystemKind.DURABLE);
    }
}
