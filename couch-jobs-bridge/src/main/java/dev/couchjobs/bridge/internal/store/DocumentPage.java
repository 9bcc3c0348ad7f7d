package dev.couchjobs.bridge.internal.store;

import java.util.List;
import java.util.Optional;

/**
 * A page of documents.
 *
 * @param items the documents
 * @param hasMore whether others may follow the last
 */
public record DocumentPage(List<Item> items, boolean hasMore) {
    public DocumentPage {
        items = List.copyOf(items);
    }

    /**
     * A document.
     *
     * @param entry its entry; empty if it cannot be read
     */
    public record Item(String id, Optional<DocumentEntry> entry) {}
}
