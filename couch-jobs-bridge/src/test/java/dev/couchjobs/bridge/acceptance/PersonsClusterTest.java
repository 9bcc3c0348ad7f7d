package dev.couchjobs.bridge.acceptance;

/** On nodes that share a FoundationDB cluster. */
class PersonsClusterTest extends PersonsSuite {
    @Override
    JoinFixture join() {
        return new JoinFixture.ByCluster();
    }
}
