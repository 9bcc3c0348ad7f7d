package dev.couchjobs.bridge.acceptance;

/** On nodes that share a database. */
class SharedStepsTest extends StepsSuite {
    SharedStepsTest() {
        super(false);
    }

    @Override
    JoinFixture join() {
        return new JoinFixture.ByDatabase();
    }
}
