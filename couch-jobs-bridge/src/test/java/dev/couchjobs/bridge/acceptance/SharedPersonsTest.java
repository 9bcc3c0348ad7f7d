package dev.couchjobs.bridge.acceptance;

/** On nodes that share a database. */
class SharedPersonsTest extends PersonsSuite {
    @Override
    Joined join() {
        return new Joined.ByDatabase();
    }
}
