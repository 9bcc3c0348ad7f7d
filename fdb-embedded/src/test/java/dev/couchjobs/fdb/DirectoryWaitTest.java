package dev.couchjobs.fdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryWaitTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @TempDir
    private Path temporary;

    @AfterEach
    void end() {
        other.shutdownNow();
    }

    @Test
    void openingWaitsUntilTheHolderCloses() throws InterruptedException, ExecutionException, TimeoutException {
        byte[] key = {1};
        CompletableFuture<Database> next;
        try (Database holder = Databases.directory(temporary)) {
            next = CompletableFuture.supplyAsync(() -> Databases.directory(temporary, LONG), other);
            holder.run(tx -> {
                tx.set(key, key);
                return null;
            });
            assertThat(next).isNotDone();
        }

        try (Database database = next.get(LONG.toSeconds(), TimeUnit.SECONDS)) {
            byte[] value = database.read(tx -> tx.get(key).join());
            assertThat(value).isEqualTo(key);
        }
    }

    @Test
    void openingFailsWhenTheTimeIsUp() {
        try (Database holder = Databases.directory(temporary)) {
            assertThat(holder).isNotNull();
            assertThatThrownBy(() -> Databases.directory(temporary, Duration.ofMillis(1)))
                    .isInstanceOf(DirectoryInUseException.class)
                    .hasMessageContaining("A directory is for one JVM; two need a cluster.");
        }
    }

    @Test
    void anInterruptEndsTheWait() {
        try (Database holder = Databases.directory(temporary)) {
            assertThat(holder).isNotNull();
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> Databases.directory(temporary, LONG)).isInstanceOf(DirectoryInUseException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aNegativeWaitIsRefused() {
        assertThatThrownBy(() -> Databases.directory(temporary, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
