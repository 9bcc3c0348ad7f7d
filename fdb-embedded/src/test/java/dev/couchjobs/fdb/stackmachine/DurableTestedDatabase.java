package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.nio.file.Path;

/** The engine on disk, which keeps everything when it is closed and opened again. */
final class DurableTestedDatabase implements TestedDatabase {

    private final Path directory;
    private Database database;

    DurableTestedDatabase(Path directory) {
        this.directory = directory;
        this.database = EmbeddedDatabase.open(directory);
    }

    @Override
    public String name() {
        return "the engine on disk";
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public void reopen() {
        database.close();
        database = EmbeddedDatabase.open(directory);
    }
}
