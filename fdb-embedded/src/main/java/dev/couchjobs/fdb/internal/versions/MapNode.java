package dev.couchjobs.fdb.internal.versions;

import org.jspecify.annotations.Nullable;

/**
 * A node of an {@link OrderedMap}: an entry and its subtrees. Maps share nodes. {@code owner} is the token under which
 * the node was created; changes under the same token modify it in place, all others copy it.
 */
public final class MapNode<V> {
    public final byte[] key;
    final Object owner;
    public V value;

    @Nullable MapNode<V> left;

    @Nullable MapNode<V> right;

    int size;
    long summary;

    MapNode(byte[] key, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right, long summary, Object owner) {
        this.key = key;
        this.owner = owner;
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
