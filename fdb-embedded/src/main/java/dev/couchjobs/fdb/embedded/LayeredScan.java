package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseCursor;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Merges an overlay's keys with those of the base that it leaves visible. */
final class LayeredScan implements Scan {
    /** How many keys of the base to step over within one cleared range before jumping across the rest of it. */
    private static final int STEPS_BEFORE_JUMP = 4;

    private final Overlay overlay;
    private final Base base;
    private final boolean upwards;
    private final Cursor<byte[]> sets;
    private BaseCursor stored;
    /** The key of the base's next visible entry. */
    private byte @Nullable [] storedKey;
    /** The overlay's next entry if that is where the scan stands, and not on the base's. */
    private @Nullable Node<byte[]> set;

    private LayeredScan(Overlay overlay, Base base, boolean upwards, Cursor<byte[]> sets, BaseCursor stored) {
        this.overlay = overlay;
        this.base = base;
        this.upwards = upwards;
        this.sets = sets;
        this.stored = stored;
        findStored();
        choose();
    }

    static LayeredScan ascending(Overlay overlay, Base base, byte[] from) {
        return new LayeredScan(overlay, base, true, overlay.sets().ascending(from), base.ascending(from));
    }

    static LayeredScan descending(Overlay overlay, Base base, byte[] before) {
        return new LayeredScan(overlay, base, false, overlay.sets().descending(before), base.descending(before));
    }

    @Override
    public boolean isOnEntry() {
        return set != null || storedKey != null;
    }

    @Override
    public byte[] key() {
        return set != null ? set.key : Objects.requireNonNull(storedKey);
    }

    @Override
    public byte[] value() {
        return set != null ? set.value : stored.value();
    }

    @Override
    public void advance() {
        boolean fromBase = set == null || (storedKey != null && Arrays.equals(set.key, storedKey));
        if (set != null) {
            sets.advance();
        }
        if (fromBase) {
            stored.advance();
            findStored();
        }
        choose();
    }

    @Override
    public void close() {
        stored.close();
    }

    /** Where both have an entry, the overlay's counts. */
    private void choose() {
        Node<byte[]> next = sets.peek();
        if (next != null && storedKey != null) {
            int order = Bytes.compare(next.key, storedKey);
            set = (upwards ? order <= 0 : order >= 0) ? next : null;
        } else {
            set = next;
        }
    }

    private void findStored() {
        storedKey = stored.key();
        while (storedKey != null) {
            KeyRange cleared = overlay.clearedAt(storedKey);
            if (cleared == null) {
                return;
            }
            stepOver(cleared);
            storedKey = stored.key();
        }
    }

    private void stepOver(KeyRange cleared) {
        for (int step = 0; step < STEPS_BEFORE_JUMP; step++) {
            stored.advance();
            byte[] key = stored.key();
            if (key == null || !cleared.contains(key)) {
                return;
            }
        }
        stored.close();
        stored = upwards ? base.ascending(cleared.end()) : base.descending(cleared.begin());
    }
}
