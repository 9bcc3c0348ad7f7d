package dev.couchjobs.fdb.internal.base;

import dev.couchjobs.fdb.embedded.StorageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;

/**
 * An iterator of a generation, positioned. Each step costs three native calls, and a value, which not every reader
 * wants, a fourth. The iterator gives up where very many removed keys follow one another; another one then goes all the
 * way, once, and the way is remembered as a gap.
 */
final class RocksCursor implements BaseCursor {
    private static final byte[] NOTHING = {};

    private final Generation generation;
    private final StorageErrors errors;
    private final RocksIterator iterator;
    private final boolean upwards;
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private boolean closed;

    /** The caller has entered the generation; the cursor leaves it when it is closed. */
    RocksCursor(Generation generation, boolean upwards, StorageErrors errors) {
        this.generation = generation;
        this.errors = errors;
        this.upwards = upwards;
        this.iterator = generation.near.take();
    }

    /** Goes to the first key that is not less than the bound, or downwards to the last that is. Fails closed. */
    void seek(byte[] bound) {
        try {
            key = place(iterator, skipGap(bound));
        } catch (RocksDBException e) {
            key = behindRemovedKeys(bound, e);
        }
    }

    @Override
    public byte @Nullable [] key() {
        return key;
    }

    @Override
    public byte[] value() {
        requireKey();
        byte[] fetched = value;
        if (fetched == null) {
            fetched = iterator.value();
            value = fetched;
        }
        return fetched;
    }

    @Override
    public void advance() {
        byte[] passed = requireKey();
        value = null;
        try {
            if (upwards) {
                iterator.next();
            } else {
                iterator.prev();
            }
            key = keyAt(iterator);
        } catch (RocksDBException e) {
            key = behindRemovedKeys(upwards ? after(passed) : passed, e);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            key = null;
            generation.near.giveBack(iterator);
            generation.references.leave();
        }
    }

    private byte @Nullable [] behindRemovedKeys(byte[] bound, RocksDBException cause) {
        if (cause.getStatus() == null || cause.getStatus().getCode() != Status.Code.Incomplete) {
            throw failed(cause);
        }
        try {
            byte[] start = skipGap(bound);
            byte[] found = goAllTheWay(start);
            remember(bound, start, found);
            return found == null ? null : place(iterator, upwards ? found : after(found));
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    private byte @Nullable [] goAllTheWay(byte[] bound) throws RocksDBException {
        RocksIterator far = generation.far.take();
        try {
            return place(far, bound);
        } finally {
            generation.far.giveBack(far);
        }
    }

    private void remember(byte[] bound, byte[] start, byte @Nullable [] found) {
        if (upwards) {
            byte[] end = found == null ? ReservedKeys.BEGIN : found;
            if (!Arrays.equals(start, end)) {
                generation.remember(bound, end);
            }
        } else {
            byte[] begin = found == null ? NOTHING : after(found);
            if (!Arrays.equals(start, begin)) {
                generation.remember(begin, bound);
            }
        }
    }

    private byte[] skipGap(byte[] bound) {
        EmptyRanges gaps = generation.gaps();
        return upwards ? gaps.skipUpwards(bound) : gaps.skipDownwards(bound);
    }

    private byte @Nullable [] place(RocksIterator moved, byte[] bound) throws RocksDBException {
        if (upwards) {
            moved.seek(bound);
            return keyAt(moved);
        }
        moved.seekForPrev(bound);
        byte[] found = keyAt(moved);
        if (Arrays.equals(found, bound)) {
            moved.prev();
            return keyAt(moved);
        }
        return found;
    }

    /** An iterator that is not on a key is past the last one, or has failed. */
    private static byte @Nullable [] keyAt(RocksIterator iterator) throws RocksDBException {
        if (iterator.isValid()) {
            return iterator.key();
        }
        iterator.status();
        return null;
    }

    private byte[] requireKey() {
        byte[] current = key;
        if (current == null) {
            throw new IllegalStateException(closed ? "The cursor is closed" : "The cursor is past the last key");
        }
        return current;
    }

    private StorageException failed(RocksDBException cause) {
        close();
        return errors.when("reading", cause);
    }

    private static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
