package dev.couchjobs.contract;

import com.apple.foundationdb.Database;

/** The engine under test: the only thing that a runner has to bring. */
public interface DatabaseProvider {

    /**
     * Opens a database with default options. Each topic of the suite opens one, keeps to keys under random prefixes,
     * and closes it at its end.
     */
    Database open();
}
