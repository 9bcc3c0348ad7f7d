package dev.couchjobs.bridge.acceptance;

/** On nodes that share a FoundationDB cluster. */
class PersonsClusterTest extends PersonsSuite {
    @Override
    Joined join() {
        return new Joined.ByCluster();
    }
}
