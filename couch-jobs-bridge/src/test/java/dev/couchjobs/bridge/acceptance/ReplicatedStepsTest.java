package dev.couchjobs.bridge.acceptance;

/** On nodes that have nothing in common but replication. */
class ReplicatedStepsTest extends StepsSuite {
    ReplicatedStepsTest() {
        super(true);
    }

    @Override
    JoinFixture join() {
        return new JoinFixture.ByReplication();
    }
}
