package dev.couchjobs;

import java.util.List;
import java.util.Optional;

/**
 * One page of a listing.
 *
 * @param items what is on it, in order
 * @param next where the listing goes on, for {@link PageRequest#after}; empty on the last page
 * @param <T> what is listed
 */
public record Page<T>(List<T> items, Optional<String> next) {
    /**
     * Copies the items.
     *
     * @param items see above
     * @param next see above
     */
    public Page {
        items = List.copyOf(items);
    }
}
