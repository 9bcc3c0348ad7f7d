package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseCursor;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.Cursor;
import dev.couchjobs.fdb.internal.versions.MapNode;
import dev.couchjobs.fdb.internal.versions.Scan;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges an overlay's keys with those of the base that it leaves visible. It looks for keys of the base only within its
 * range and before the overlay's next key: behind either there may be thousands of cleared keys.
 */
final class LayeredScan implements Scan {
    /** The number of keys of the base to step over in a cleared range before seeking to its end. */
    private static final int STEPS_BEFORE_SEEK = 4;

    private final Overlay overlay;
    private final Base base;
    private final EmptyRangeHint hint;
    private final boolean upwards;
    private final byte[] end;
    private final Cursor<byte[]> sets;
    private BaseCursor stored;
    /** The base's next key within the range. It is visible unless the overlay's entry is the current one. */
    private byte @Nullable [] storedKey;
    /** The overlay's entry if it is the current one; null if the base's entry is. */
    private @Nullable MapNode<byte[]> set;

    private LayeredScan(LayeredContents contents, boolean upwards, byte[] end, Cursor<byte[]> sets, BaseCursor stored) {
        this.overlay = contents.overlay();
        this.base = contents.base();
        this.hint = contents.hint();
        this.upwards = upwards;
        this.end = end;
        this.sets = sets;
        this.stored = stored;
        choose();
    }

    static LayeredScan ascending(LayeredContents contents, byte[] from, byte[] end) {
        Cursor<byte[]> sets = contents.overlay().sets().ascending(from);
        return new LayeredScan(contents, true, end, sets, contents.base().ascending(from));
    }

    static LayeredScan descending(LayeredContents contents, byte[] before, byte[] end) {
        Cursor<byte[]> sets = contents.overlay().sets().descending(before);
        return new LayeredScan(contents, false, end, sets, contents.base().descending(before));
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
        boolean fromBase = set == null || Arrays.equals(set.key, storedKey);
        if (set != null) {
            sets.advance();
        }
        if (fromBase) {
            stored.advance();
        }
        choose();
    }

    @Override
    public void close() {
        stored.close();
    }

    /** Steps over keys of the base that the overlay has cleared, up to the overlay's next key. */
    private void choose() {
        MapNode<byte[]> next = sets.peek();
        KeyRange first = null;
        KeyRange last = null;
        int skipped = 0;
        set = next;
        storedKey = storedWithinRange();
        while (storedKey != null && !isAtOrBefore(next, storedKey)) {
            KeyRange cleared = overlay.clearedAt(storedKey);
            if (cleared == null) {
                set = null;
                break;
            }
            first = first == null ? cleared : first;
            last = cleared;
            skipped += stepOver(cleared) ? EmptyRangeHint.MIN_KEYS : 1; // a seek costs more than many steps
            storedKey = storedWithinRange();
        }
        if (first != null && last != null) {
            KeyRange gap = upwards ? new KeyRange(first.begin(), last.end()) : new KeyRange(last.begin(), first.end());
            hint.record(skipped, new EmptyRangeHint.ScannedRange(gap, overlay.baseVersion()));
        }
    }

    /** If both have the key, the overlay's entry is current. */
    private boolean isAtOrBefore(@Nullable MapNode<byte[]> next, byte[] key) {
        if (next == null) {
            return false;
        }
        int order = Bytes.compare(next.key, key);
        return upwards ? order <= 0 : order >= 0;
    }

    private byte @Nullable [] storedWithinRange() {
        byte[] key = stored.key();
        return key == null || (upwards ? !Bytes.less(key, end) : Bytes.less(key, end)) ? null : key;
    }

    /** Returns whether it had to seek. */
    private boolean stepOver(KeyRange cleared) {
        for (int step = 0; step < STEPS_BEFORE_SEEK; step++) {
            stored.advance();
            byte[] key = stored.key();
            if (key == null || !cleared.contains(key)) {
                return false;
            }
        }
        stored.close();
        stored = upwards ? base.ascending(cleared.end()) : base.descending(cleared.begin());
        return true;
    }
}
