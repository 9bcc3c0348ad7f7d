package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.DocumentChange;
import java.util.List;

/**
 * A part of the changes of a database.
 *
 * @param rows a row for each document
 * @param position the position after them
 */
record Changes(List<DocumentChange> rows, ModelPosition position) {
    Changes {
        rows = List.copyOf(rows);
    }
}
