package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** A database that is closed leaves no timer behind, which would keep a thread and all that the engine holds. */
class ClosedTimersTest {
    private static final int MINUTE_MILLIS = 60_000;

    @Test
    @SuppressWarnings("resource") // that is the point: transactions that are not closed
    void theTimeoutsOfUnclosedTransactionsEndWithTheDatabase() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
        timer.setRemoveOnCancelPolicy(true);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Database database = EmbeddedDatabase.openInMemory(
                    new EngineEnvironment(executor, timer, System::nanoTime, new Random(1)));
            for (int i = 0; i < 3; i++) {
                Transaction tr = database.createTransaction();
                tr.options().setTimeout(MINUTE_MILLIS);
                tr.set(key("a"), key("1"));
            }
            assertThat(timer.getQueue()).hasSize(3);
            database.close();
            assertThat(timer.getQueue()).isEmpty();
        } finally {
            timer.shutdownNow();
            executor.shutdownNow();
        }
    }
}
