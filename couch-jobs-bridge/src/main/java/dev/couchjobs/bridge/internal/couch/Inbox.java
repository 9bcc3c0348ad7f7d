package dev.couchjobs.bridge.internal.couch;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/**
 * Changes that have come and were not handed on yet. A document stands where its last change came, so everything up to
 * a batch's position is in that batch, was handed on before, or comes once more behind it.
 */
final class Inbox {
    private final int batch;
    private final Map<String, FeedRow> rows = new LinkedHashMap<>();

    Inbox(int batch) {
        this.batch = batch;
    }

    /** Changes that go to the listener together. */
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

    /** {@return whether a whole batch is there} */
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
