package dev.couchjobs.fdb.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Range;
import dev.couchjobs.fdb.testing.BlockedCommonPool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine does its work while every worker of the common pool is blocked. */
class EngineCommonPoolTest {

    @Test
    void theEngineDoesNotDependOnTheCommonPool(@TempDir Path directory) throws Exception {
        assertThat(BlockedCommonPool.run(Main.class, directory.resolve("db").toString()))
                .isEqualTo("0\n10 keys\n");
    }

    /** Commits, conflicts, watches and reads in two databases, in memory and on disk. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            BlockedCommonPool.block();
            int keys = 0;
            try (Database disk = EmbeddedDatabase.open(Path.of(arguments[0]));
                    Database memory = EmbeddedDatabase.openInMemory()) {
                keys += use(disk) + use(memory);
            }
            System.out.println(keys + " keys");
        }

        private static int use(Database database) {
            byte[] counter = "counter".getBytes(StandardCharsets.UTF_8);
            CompletableFuture<Void> changed = database.runAsync(
                            tx -> CompletableFuture.completedFuture(List.of(tx.watch(counter))))
                    .join()
                    .get(0);
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                byte[] own = ("own-" + i).getBytes(StandardCharsets.UTF_8);
                all.add(database.runAsync(tx -> tx.get(counter).thenAccept(before -> {
                    tx.set(counter, own);
                    tx.set(own, counter);
                })));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).join();
            changed.join();
            return database.readAsync(tx -> tx.getRange(new Range(new byte[] {0}, new byte[] {(byte) 0xFE}))
                            .asList())
                    .join()
                    .size();
        }
    }
}
