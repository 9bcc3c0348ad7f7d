package dev.couchjobs;

import java.util.Optional;

/**
 * Which page of a listing is wanted. Immutable.
 *
 * @param limit how many items a page has at most, from 1 to {@value #LIMIT_MAX}
 * @param isNewestFirst whether the listing begins with the newest
 * @param after where to go on, as the page before said; empty for the first page
 */
public record PageRequest(int limit, boolean isNewestFirst, Optional<String> after) {
    /** The largest page. */
    public static final int LIMIT_MAX = 1_000;

    /**
     * Checks the limit.
     *
     * @param limit see above
     * @param isNewestFirst see above
     * @param after see above
     * @throws IllegalArgumentException if the limit is out of its limits
     */
    public PageRequest {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "A page has room for 1 to " + LIMIT_MAX + " items; the limit is " + limit + ".");
        }
    }

    /**
     * The first page, oldest first.
     *
     * @param limit how many items a page has at most
     * @return the request
     * @throws IllegalArgumentException if the limit is less than 1 or more than {@value #LIMIT_MAX}
     */
    public static PageRequest of(int limit) {
        return new PageRequest(limit, false, Optional.empty());
    }

    /** {@return the same, newest first} */
    public PageRequest newestFirst() {
        return new PageRequest(limit, true, after);
    }

    /**
     * The page that follows.
     *
     * @param next what {@link Page#next} said
     * @return the request
     */
    public PageRequest after(String next) {
        return new PageRequest(limit, isNewestFirst, Optional.of(next));
    }
}
