package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.topics.internal.log.Place;
import java.util.Base64;

/**
 * Where a group was when messages were read, and where it goes when they are committed. As text it is opaque.
 *
 * @param token of the read: the commit leaves it, so that a repetition is told from another reader's commit
 */
record Cursor(int partition, Place before, Place behind, long token) {

    String encode() {
        byte[] packed = Tuple.from(partition, before.stamp(), before.number(), behind.stamp(), behind.number(), token)
                .pack();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(packed);
    }

    static Cursor decode(String text) {
        try {
            Tuple parts = Tuple.fromBytes(Base64.getUrlDecoder().decode(text));
            return new Cursor(
                    (int) parts.getLong(0),
                    new Place(parts.getVersionstamp(1), parts.getLong(2)),
                    new Place(parts.getVersionstamp(3), parts.getLong(4)),
                    parts.getLong(5));
        } catch (RuntimeException e) { // Tuple throws several
            throw new IllegalArgumentException("This is no cursor. Commit the one that a page of the group had.", e);
        }
    }
}
