package dev.couchjobs.bridge.acceptance;

/** On nodes that share a FoundationDB cluster. */
class StepsClusterTest extends StepsSuite {
    StepsClusterTest() {
        super(false);
    }

    @Override
    Joined join() {
        return new Joined.ByCluster();
    }
}
