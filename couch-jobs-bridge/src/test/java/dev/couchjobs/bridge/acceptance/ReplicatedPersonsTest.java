package dev.couchjobs.bridge.acceptance;

/** On nodes that have nothing in common but replication. */
class ReplicatedPersonsTest extends PersonsSuite {
    @Override
    Joined join() {
        return new Joined.ByReplication();
    }
}
