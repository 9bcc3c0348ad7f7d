package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.Database;

/** The engine under test: the only thing that a runner has to bring. */
public interface EngineProvider {

    /**
     * Opens a database with default options. The suite closes it; it opens several, which may or may not share their
     * contents.
     */
    Database open();
}
