package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Walks the entries of an {@link OrderedMap} in one direction. */
public final class Cursor<V> {
    /** The nodes whose own entry follows, the next on top. */
    private final Deque<MapNode<V>> path = new ArrayDeque<>();

    private final boolean upwards;

    private Cursor(boolean upwards) {
        this.upwards = upwards;
    }

    static <V> Cursor<V> ascending(@Nullable MapNode<V> root, byte[] from) {
        Cursor<V> cursor = new Cursor<>(true);
        MapNode<V> node = root;
        while (node != null) {
            if (Bytes.less(node.key, from)) {
                node = node.right;
            } else {
                cursor.path.push(node);
                node = node.left;
            }
        }
        return cursor;
    }

    static <V> Cursor<V> descending(@Nullable MapNode<V> root, byte[] before) {
        Cursor<V> cursor = new Cursor<>(false);
        MapNode<V> node = root;
        while (node != null) {
            if (Bytes.less(node.key, before)) {
                cursor.path.push(node);
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return cursor;
    }

    /** The current entry, or null past the last one. */
    public @Nullable MapNode<V> peek() {
        return path.peek();
    }

    public void advance() {
        MapNode<V> passed = path.pop();
        MapNode<V> node = upwards ? passed.right : passed.left;
        while (node != null) {
            path.push(node);
            node = upwards ? node.left : node.right;
        }
    }
}
