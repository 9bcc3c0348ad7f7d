package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.data.Queued;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Where in the pending queue claims begin while others claim there as well. One look at a wide stretch of it, from the head
 * on, serves many claims: each takes what begins at a place of its own, and so does not read the rest again. Every place is
 * used once, in a random order, the head like the others, so that none is passed over for longer than one stretch.
 */
final class Places {
    private final RandomGenerator random;

    // Guarded by this.
    private final Deque<Queued> places = new ArrayDeque<>();

    Places(RandomGenerator random) {
        this.random = random;
    }

    /** The row from which on to look, if a stretch that was seen has not been used up. */
    synchronized Optional<Queued> next() {
        return Optional.ofNullable(places.poll());
    }

    /** Remembers a stretch from the head on, for claims of so many rows each. */
    synchronized void seen(List<Queued> rows, int each) {
        List<Queued> found = new ArrayList<>(rows.size() / each + 1);
        for (int i = 0; i + each <= rows.size(); i += each) {
            found.add(rows.get(i));
        }
        for (int i = found.size(); i > 1; i--) {
            Collections.swap(found, i - 1, random.nextInt(i));
        }
        places.clear();
        places.addAll(found);
    }

    synchronized void forget() {
        places.clear();
    }
}
