package dev.couchjobs.bridge.acceptance;

/** On nodes that have nothing in common but replication. */
class ReplicatedPersonsTest extends PersonsSuite {
    @Override
    JoinFixture join() {
        return new JoinFixture.ByReplication();
    }
}
