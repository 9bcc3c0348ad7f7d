package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.Bytes;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The balancing of {@link OrderedMap}: trees in which no subtree outweighs its sibling by more than a constant factor,
 * after Adams, "Efficient sets: a balancing act" (1993), with the factors that Hirai and Yamamoto proved sound in
 * "Balancing weight-balanced trees" (2011). Everything is built on joining, which makes cutting out a range as cheap as
 * removing one key.
 *
 * <p>Each change has an owner token: it modifies nodes that were created under that token in place, and copies all
 * others.
 */
final class WeightBalancedTree<V> {
    private static final int DELTA = 3;
    private static final int GAMMA = 2;

    private final Summary<V> summary;

    WeightBalancedTree(Summary<V> summary) {
        this.summary = summary;
    }

    Summary<V> summary() {
        return summary;
    }

    MapNode<V> insert(@Nullable MapNode<V> tree, byte[] key, V value, Object owner) {
        if (tree == null) {
            return node(key, value, null, null, owner);
        }
        int order = Bytes.compare(key, tree.key);
        if (order < 0) {
            return changed(tree, tree.value, insert(tree.left, key, value, owner), tree.right, owner);
        }
        if (order > 0) {
            return changed(tree, tree.value, tree.left, insert(tree.right, key, value, owner), owner);
        }
        return changed(tree, value, tree.left, tree.right, owner);
    }

    /**
     * Inserts the entries from index {@code from} up to {@code to} of two lists. The keys ascend. Each node on the way
     * is compared and copied once, where as many single insertions each descend from the root.
     */
    @Nullable MapNode<V> insertAscending(
            @Nullable MapNode<V> tree, List<byte[]> keys, List<V> values, int from, int to, Object owner) {
        if (from == to) {
            return tree;
        }
        if (tree == null) {
            int middle = (from + to) >>> 1;
            return node(
                    keys.get(middle),
                    values.get(middle),
                    insertAscending(null, keys, values, from, middle, owner),
                    insertAscending(null, keys, values, middle + 1, to, owner),
                    owner);
        }
        int index = indexOfFirstFrom(tree.key, keys, from, to);
        boolean isPresent = index < to && Arrays.equals(keys.get(index), tree.key);
        MapNode<V> left = insertAscending(tree.left, keys, values, from, index, owner);
        MapNode<V> right = insertAscending(tree.right, keys, values, isPresent ? index + 1 : index, to, owner);
        V value = isPresent ? values.get(index) : tree.value;
        return isBalanced(left, right)
                ? changed(tree, value, left, right, owner)
                : join(tree.key, value, left, right, owner);
    }

    /**
     * Removes the entries from index {@code from} up to {@code to} of two lists, where the tree has the very same value
     * under the key. The keys ascend. Takes as little time as {@link #insertAscending}.
     */
    @Nullable MapNode<V> removeAllSame(
            @Nullable MapNode<V> tree, List<byte[]> keys, List<V> values, int from, int to, Object owner) {
        if (tree == null || from == to) {
            return tree;
        }
        int index = indexOfFirstFrom(tree.key, keys, from, to);
        boolean isPresent = index < to && Arrays.equals(keys.get(index), tree.key);
        int size = tree.size;
        MapNode<V> left = removeAllSame(tree.left, keys, values, from, index, owner);
        MapNode<V> right = removeAllSame(tree.right, keys, values, isPresent ? index + 1 : index, to, owner);
        if (isPresent && tree.value == values.get(index)) {
            return concat(left, right, owner);
        }
        if (1 + MapNode.size(left) + MapNode.size(right) == size) {
            return tree;
        }
        return isBalanced(left, right)
                ? changed(tree, tree.value, left, right, owner)
                : join(tree.key, tree.value, left, right, owner);
    }

    /** The index of the first key that is not less than {@code key}. Most often that is {@code from} or {@code to}. */
    private static int indexOfFirstFrom(byte[] key, List<byte[]> keys, int from, int to) {
        if (Bytes.less(keys.get(to - 1), key)) {
            return to;
        }
        if (!Bytes.less(keys.get(from), key)) {
            return from;
        }
        int low = from + 1;
        int high = to - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Bytes.less(keys.get(middle), key)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean isBalanced(@Nullable MapNode<?> left, @Nullable MapNode<?> right) {
        int lefts = MapNode.size(left);
        int rights = MapNode.size(right);
        return lefts + rights <= 1 || (rights <= DELTA * lefts && lefts <= DELTA * rights);
    }

    @Nullable MapNode<V> remove(@Nullable MapNode<V> tree, byte[] key, Object owner) {
        if (tree == null) {
            return null;
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return concat(tree.left, tree.right, owner);
        }
        int size = tree.size;
        if (order < 0) {
            MapNode<V> left = remove(tree.left, key, owner);
            return 1 + MapNode.size(left) + MapNode.size(tree.right) == size
                    ? tree
                    : changed(tree, tree.value, left, tree.right, owner);
        }
        MapNode<V> right = remove(tree.right, key, owner);
        return 1 + MapNode.size(tree.left) + MapNode.size(right) == size
                ? tree
                : changed(tree, tree.value, tree.left, right, owner);
    }

    /** The entries with keys less than {@code key}. */
    @Nullable MapNode<V> below(@Nullable MapNode<V> tree, byte[] key, Object owner) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? join(tree.key, tree.value, tree.left, below(tree.right, key, owner), owner)
                : below(tree.left, key, owner);
    }

    /** The entries with keys not less than {@code key}. */
    @Nullable MapNode<V> from(@Nullable MapNode<V> tree, byte[] key, Object owner) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? from(tree.right, key, owner)
                : join(tree.key, tree.value, from(tree.left, key, owner), tree.right, owner);
    }

    /** All of {@code left} followed by all of {@code right}, whatever their sizes. */
    @Nullable MapNode<V> concat(@Nullable MapNode<V> left, @Nullable MapNode<V> right, Object owner) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        MapNode<V> first = right;
        while (first.left != null) {
            first = first.left;
        }
        return join(first.key, first.value, left, withoutFirst(right, owner), owner);
    }

    private MapNode<V> join(byte[] key, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right, Object owner) {
        if (left != null && left.size > DELTA * MapNode.size(right) && left.size > 1) {
            return changed(left, left.value, left.left, join(key, value, left.right, right, owner), owner);
        }
        if (right != null && right.size > DELTA * MapNode.size(left) && right.size > 1) {
            return changed(right, right.value, join(key, value, left, right.left, owner), right.right, owner);
        }
        return node(key, value, left, right, owner);
    }

    private @Nullable MapNode<V> withoutFirst(MapNode<V> tree, Object owner) {
        return tree.left == null
                ? tree.right
                : changed(tree, tree.value, withoutFirst(tree.left, owner), tree.right, owner);
    }

    /** A balanced node with the given parts: {@code tree} itself if the owner created it and no rotation is needed. */
    private MapNode<V> changed(
            MapNode<V> tree, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right, Object owner) {
        int lefts = MapNode.size(left);
        int rights = MapNode.size(right);
        if (lefts + rights > 1) {
            if (right != null && rights > DELTA * lefts) {
                return rotatedLeft(tree.key, value, left, right, owner);
            }
            if (left != null && lefts > DELTA * rights) {
                return rotatedRight(tree.key, value, left, right, owner);
            }
        }
        if (tree.owner != owner) {
            return node(tree.key, value, left, right, owner);
        }
        tree.value = value;
        tree.left = left;
        tree.right = right;
        tree.size = 1 + lefts + rights;
        tree.summary = summaryOf(tree.key, value, left, right);
        return tree;
    }

    private MapNode<V> rotatedLeft(byte[] key, V value, @Nullable MapNode<V> left, MapNode<V> right, Object owner) {
        MapNode<V> inner = right.left;
        if (inner == null || inner.size < GAMMA * MapNode.size(right.right)) {
            return node(right.key, right.value, node(key, value, left, inner, owner), right.right, owner);
        }
        return node(
                inner.key,
                inner.value,
                node(key, value, left, inner.left, owner),
                node(right.key, right.value, inner.right, right.right, owner),
                owner);
    }

    private MapNode<V> rotatedRight(byte[] key, V value, MapNode<V> left, @Nullable MapNode<V> right, Object owner) {
        MapNode<V> inner = left.right;
        if (inner == null || inner.size < GAMMA * MapNode.size(left.left)) {
            return node(left.key, left.value, left.left, node(key, value, inner, right, owner), owner);
        }
        return node(
                inner.key,
                inner.value,
                node(left.key, left.value, left.left, inner.left, owner),
                node(key, value, inner.right, right, owner),
                owner);
    }

    private MapNode<V> node(byte[] key, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right, Object owner) {
        return new MapNode<>(key, value, left, right, summaryOf(key, value, left, right), owner);
    }

    private long summaryOf(byte[] key, V value, @Nullable MapNode<V> left, @Nullable MapNode<V> right) {
        return summary.join(summary.of(key, value), summary.join(MapNode.summary(left), MapNode.summary(right)));
    }
}
