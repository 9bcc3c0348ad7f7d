package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map ordered by key, so that a snapshot of the whole database is one pointer. Every change makes a new
 * map that shares all but O(log n) nodes with the old one; clearing a range, counting, and summing over a range cost
 * O(log n) as well. Neither keys nor values are copied: a caller that puts an array in does not change it afterwards.
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
     * As {@link #put(byte[], Object)}, as one of many changes by the same editor: this map may not be used any more if
     * that editor has had a part in it. So it costs O(log n) new nodes only where that editor has not been before.
     */
    public OrderedMap<V> put(byte[] key, V value, Object editor) {
        return withRoot(trees.insert(root, key, value, editor));
    }

    /** Likewise without a key. */
    public OrderedMap<V> remove(byte[] key, Object editor) {
        return withRoot(trees.remove(root, key, editor));
    }

    /** Likewise without the keys from {@code begin} up to, but not including, {@code end}. */
    public OrderedMap<V> removeRange(byte[] begin, byte[] end, Object editor) {
        if (!Bytes.less(begin, end) || rank(begin) == rank(end)) {
            return this;
        }
        return withRoot(trees.concat(trees.below(root, begin, editor), trees.from(root, end, editor), editor));
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

    /** How many keys are less than {@code key}. */
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
        int wanted = rank;
        while (node != null) {
            int lefts = MapNode.size(node.left);
            if (wanted == lefts) {
                return node;
            }
            if (wanted < lefts) {
                node = node.left;
            } else {
                wanted -= lefts + 1;
                node = node.right;
            }
        }
        throw new IndexOutOfBoundsException(rank);
    }

    /** The summary of the keys from {@code begin} up to, but not including, {@code end}. */
    public long summary(byte[] begin, byte[] end) {
        return Bytes.less(begin, end) ? summary(root, begin, end) : 0;
    }

    /** From the first key that is not less than {@code from}, upwards. */
    public Cursor<V> ascending(byte[] from) {
        return Cursor.ascending(root, from);
    }

    /** From the last key that is less than {@code before}, downwards. */
    public Cursor<V> descending(byte[] before) {
        return Cursor.descending(root, before);
    }

    private OrderedMap<V> withRoot(@Nullable MapNode<V> changed) {
        return changed == root ? this : new OrderedMap<>(trees, changed);
    }

    /** A null bound is already known to lie outside the subtree, which ends the descent on that side. */
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
