package dev.couchjobs.bridge.acceptance;

/** On nodes that share a FoundationDB cluster. */
class StepsClusterTest extends StepsSuite {
    StepsClusterTest() {
        super(false);
    }

    @Override
    JoinFixture join() {
        return new JoinFixture.ByCluster();
    }
}
