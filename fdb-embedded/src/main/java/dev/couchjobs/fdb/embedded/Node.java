package dev.couchjobs.fdb.embedded;

import org.jspecify.annotations.Nullable;

/**
 * An entry of an {@link OrderedMap} with the entries below it. Maps share what they agree on, so only the editor who
 * made it may change it, for as long as no other thread has a map that it is in.
 */
final class Node<V> {
    final byte[] key;
    final Object editor;
    V value;

    @Nullable Node<V> left;

    @Nullable Node<V> right;

    int size;
    long summary;

    Node(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right, long summary, Object editor) {
        this.key = key;
        this.editor = editor;
        this.value = value;
        this.left = left;
        this.right = right;
        this.size = 1 + size(left) + size(right);
        this.summary = summary;
    }

    static int size(@Nullable Node<?> node) {
        return node == null ? 0 : node.size;
    }

    static long summary(@Nullable Node<?> node) {
        return node == null ? 0 : node.summary;
    }
}
