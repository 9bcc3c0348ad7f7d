package dev.couchjobs.bridge.acceptance;

/** On nodes that share a database. */
class SharedPersonsTest extends PersonsSuite {
    @Override
    JoinFixture join() {
        return new JoinFixture.ByDatabase();
    }
}
