package dev.couchjobs.fdb.internal.versions;

import org.jspecify.annotations.Nullable;

/**
 * An entry of an {@link OrderedMap} with the entries below it. Maps share what they agree on, so only the editor who
 * made it may change it, for as long as no other thread has a map that it is in.
 */
public final class MapNode<V> {
    public final byte[] key;
    final Object editor;
    public V value;

    @Nullable MapNode<V> left;

    @Nullable MapNode<V> right;

    int size;
    long summary;

    MapNode(byte[] key, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right, long summary, Object editor) {
        this.key = key;
        this.editor = editor;
        this.value = value;
        this.left = left;
        this.right = right;
        this.size = 1 + size(left) + size(right);
        this.summary = summary;
    }

    static int size(@Nullable MapNode<?> node) {
        return node == null ? 0 : node.size;
    }

    static long summary(@Nullable MapNode<?> node) {
        return node == null ? 0 : node.summary;
    }
}
