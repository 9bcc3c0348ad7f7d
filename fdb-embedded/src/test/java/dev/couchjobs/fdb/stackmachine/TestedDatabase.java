package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.Database;

/** A database that programs are run on. */
interface TestedDatabase extends AutoCloseable {

    /** What to call it in a report. */
    String name();

    Database database();

    /** Closes the database and opens it again, where that keeps its contents; else does nothing. */
    default void reopen() {}

    @Override
    default void close() {
        database().close();
    }

    /** A database that cannot be opened again with the same contents. */
    static TestedDatabase of(String name, Database database) {
        return new TestedDatabase() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Database database() {
                return database;
            }
        };
    }
}
