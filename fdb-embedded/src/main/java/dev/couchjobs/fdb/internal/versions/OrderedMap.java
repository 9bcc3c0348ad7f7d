package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map ordered by key. A change creates a new map that shares all but O(log n) nodes with the old one;
 * removing a range, counting, and summing over a range take O(log n) as well. Keys and values are not copied: the
 * caller must not change an array after putting it.
 */
public final class OrderedMap<V> {
    private final WeightBalancedTree<V> trees;
    private final @Nullable MapNode<V> root;

    private OrderedMap(WeightBalancedTree<V> trees, @Nullable MapNode<V> root) {
        this.trees = trees;
        this.root = root;
    }

    public static <V> OrderedMap<V> empty(Summary<V> summary) {
        return new OrderedMap<>(new WeightBalancedTree<>(summary), null);
    }

    public int size() {
        return MapNode.size(root);
    }

    /** The summary of all entries. */
    public long summary() {
        return MapNode.summary(root);
    }

    public @Nullable V get(byte[] key) {
        MapNode<V> node = root;
        while (node != null) {
            int order = Bytes.compare(key, node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    public OrderedMap<V> put(byte[] key, V value) {
        return put(key, value, new Object());
    }

    /**
     * Puts an entry as one of several changes with the same owner token, as in a transient map. Nodes created under the
     * token are modified in place, and only the others are copied. Earlier maps under the same token become invalid.
     */
    public OrderedMap<V> put(byte[] key, V value, Object owner) {
        return withRoot(trees.insert(root, key, value, owner));
    }

    /**
     * Puts entries whose keys ascend, in less time than one by one; for {@code owner} see
     * {@link #put(byte[], Object, Object)}.
     */
    public OrderedMap<V> putAll(List<byte[]> keys, List<V> values, Object owner) {
        return withRoot(trees.insertAscending(root, keys, values, 0, keys.size(), owner));
    }

    /**
     * Removes the entries that have the very same value, not an equal one; the keys ascend. For {@code owner} see
     * {@link #put(byte[], Object, Object)}.
     */
    public OrderedMap<V> removeAllSame(List<byte[]> keys, List<V> values, Object owner) {
        return withRoot(trees.removeAllSame(root, keys, values, 0, keys.size(), owner));
    }

    /** Removes a key; for {@code owner} see {@link #put(byte[], Object, Object)}. */
    public OrderedMap<V> remove(byte[] key, Object owner) {
        return withRoot(trees.remove(root, key, owner));
    }

    /**
     * Removes the keys from {@code begin} up to, but not including, {@code end}; for {@code owner} see
     * {@link #put(byte[], Object, Object)}.
     */
    public OrderedMap<V> removeRange(byte[] begin, byte[] end, Object owner) {
        if (!Bytes.less(begin, end) || rank(begin) == rank(end)) {
            return this;
        }
        return withRoot(trees.concat(trees.below(root, begin, owner), trees.from(root, end, owner), owner));
    }

    /** The entry with the greatest key that is not greater than {@code key}. */
    public @Nullable MapNode<V> floor(byte[] key) {
        MapNode<V> best = null;
        MapNode<V> node = root;
        while (node != null) {
            if (Bytes.less(key, node.key)) {
                node = node.left;
            } else {
                best = node;
                node = node.right;
            }
        }
        return best;
    }

    /** The entry with the greatest key that is less than {@code key}. */
    public @Nullable MapNode<V> lower(byte[] key) {
        MapNode<V> best = null;
        MapNode<V> node = root;
        while (node != null) {
            if (Bytes.less(node.key, key)) {
                best = node;
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return best;
    }

    /** The number of keys less than {@code key}. */
    public int rank(byte[] key) {
        int rank = 0;
        MapNode<V> node = root;
        while (node != null) {
            if (Bytes.less(node.key, key)) {
                rank += MapNode.size(node.left) + 1;
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return rank;
    }

    /** The entry that has exactly {@code rank} keys below it. */
    MapNode<V> select(int rank) {
        MapNode<V> node = root;
        int remaining = rank;
        while (node != null) {
            int lefts = MapNode.size(node.left);
            if (remaining == lefts) {
                return node;
            }
            if (remaining < lefts) {
                node = node.left;
            } else {
                remaining -= lefts + 1;
                node = node.right;
            }
        }
        throw new IndexOutOfBoundsException(rank);
    }

    /** The summary of the keys from {@code begin} up to, but not including, {@code end}. */
    public long summary(byte[] begin, byte[] end) {
        return Bytes.less(begin, end) ? summary(root, begin, end) : 0;
    }

    /** A cursor upwards from the first key that is not less than {@code from}. */
    public Cursor<V> ascending(byte[] from) {
        return Cursor.ascending(root, from);
    }

    /** A cursor downwards from the last key that is less than {@code before}. */
    public Cursor<V> descending(byte[] before) {
        return Cursor.descending(root, before);
    }

    private OrderedMap<V> withRoot(@Nullable MapNode<V> changed) {
        return changed == root ? this : new OrderedMap<>(trees, changed);
    }

    /** A null bound lies outside the subtree, which ends the descent on that side. */
    private long summary(@Nullable MapNode<V> node, byte @Nullable [] begin, byte @Nullable [] end) {
        if (node == null || (begin == null && end == null)) {
            return MapNode.summary(node);
        }
        if (begin != null && Bytes.less(node.key, begin)) {
            return summary(node.right, begin, end);
        }
        if (end != null && !Bytes.less(node.key, end)) {
            return summary(node.left, begin, end);
        }
        Summary<V> summary = trees.summary();
        long sides = summary.join(summary(node.left, begin, null), summary(node.right, null, end));
        return summary.join(summary.of(node.key, node.value), sides);
    }
}
