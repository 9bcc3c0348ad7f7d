package dev.couchjobs.bridge.internal.couch;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/**
 * Changes that wait for delivery. A document has the place of its last change. So each change up to the position of a
 * batch is in that batch, was delivered before, or follows again.
 */
final class Inbox {
    private final int batch;
    private final Map<String, FeedRow> rows = new LinkedHashMap<>();

    Inbox(int batch) {
        this.batch = batch;
    }

    /** Changes that are delivered together. */
    record Batch(List<DocumentChange> changes, JsonNode position) {}

    void add(List<FeedRow> more) {
        for (FeedRow row : more) {
            rows.remove(row.change().id());
            rows.put(row.change().id(), row);
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** {@return whether it contains a complete batch} */
    boolean isFull() {
        return rows.size() >= batch;
    }

    Batch take() {
        List<DocumentChange> changes = new ArrayList<>();
        JsonNode position = NullNode.getInstance();
        for (Iterator<FeedRow> next = rows.values().iterator(); next.hasNext() && changes.size() < batch; ) {
            FeedRow row = next.next();
            next.remove();
            changes.add(row.change());
            position = row.position();
        }
        return new Batch(changes, position);
    }

    void clear() {
        rows.clear();
    }
}
