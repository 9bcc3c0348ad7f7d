package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.Change;
import java.util.List;

/**
 * A part of the changes of a database.
 *
 * @param rows one for each document
 * @param position behind them
 */
record Changes(List<Change> rows, Position position) {
    Changes {
        rows = List.copyOf(rows);
    }
}
