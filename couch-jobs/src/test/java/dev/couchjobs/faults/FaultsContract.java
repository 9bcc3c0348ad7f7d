package dev.couchjobs.faults;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What the suites of faults have in common; the stage, and with it the engine, is their only parameter. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // ends what hangs, and measures nothing
abstract class FaultsContract {
    @SuppressWarnings("NullAway.Init")
    Stage stage;

    /** Opens the engine under test; the suite closes it. */
    abstract Stage openStage();

    @BeforeEach
    final void open() {
        stage = openStage();
    }

    @AfterEach
    final void close() {
        stage.close();
    }
}
