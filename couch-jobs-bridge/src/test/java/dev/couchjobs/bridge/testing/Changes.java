package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.DocumentChange;
import java.util.List;

/**
 * A part of the changes of a database.
 *
 * @param rows one for each document
 * @param position behind them
 */
record Changes(List<DocumentChange> rows, ModelPosition position) {
    Changes {
        rows = List.copyOf(rows);
    }
}
