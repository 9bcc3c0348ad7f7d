package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contents that a batch of commits leaves behind, in the making. Belongs to one thread. */
interface Edit {
    byte @Nullable [] get(byte[] key);

    void set(byte[] key, byte[] value);

    void clear(byte[] begin, byte[] end);

    default void clear(byte[] key) {
        clear(key, Bytes.after(key));
    }

    /** In the order in which they were made. */
    List<Change> changes();

    /** As edited so far. */
    Contents contents();
}
