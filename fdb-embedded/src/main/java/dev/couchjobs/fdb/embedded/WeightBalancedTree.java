package dev.couchjobs.fdb.embedded;

import org.jspecify.annotations.Nullable;

/**
 * The balancing of {@link OrderedMap}: trees in which no subtree outweighs its sibling by more than a constant factor,
 * after Adams, "Efficient sets: a balancing act" (1993), with the factors that Hirai and Yamamoto proved sound in
 * "Balancing weight-balanced trees" (2011). Everything is built on joining, which makes cutting out a range as cheap as
 * removing one key.
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

    Node<V> insert(@Nullable Node<V> tree, byte[] key, V value) {
        if (tree == null) {
            return node(key, value, null, null);
        }
        int order = Bytes.compare(key, tree.key);
        if (order < 0) {
            return balanced(tree.key, tree.value, insert(tree.left, key, value), tree.right);
        }
        if (order > 0) {
            return balanced(tree.key, tree.value, tree.left, insert(tree.right, key, value));
        }
        return node(tree.key, value, tree.left, tree.right);
    }

    /** As {@link #insert}, but changes the nodes on the way instead of making new ones. */
    Node<V> insertInPlace(@Nullable Node<V> tree, byte[] key, V value) {
        if (tree == null) {
            return node(key, value, null, null);
        }
        int order = Bytes.compare(key, tree.key);
        if (order < 0) {
            tree.left = insertInPlace(tree.left, key, value);
        } else if (order > 0) {
            tree.right = insertInPlace(tree.right, key, value);
        } else {
            tree.value = value;
        }
        return rebalanced(tree);
    }

    @Nullable Node<V> remove(@Nullable Node<V> tree, byte[] key) {
        if (tree == null) {
            return null;
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return concat(tree.left, tree.right);
        }
        if (order < 0) {
            Node<V> left = remove(tree.left, key);
            return left == tree.left ? tree : balanced(tree.key, tree.value, left, tree.right);
        }
        Node<V> right = remove(tree.right, key);
        return right == tree.right ? tree : balanced(tree.key, tree.value, tree.left, right);
    }

    /** The entries with keys less than {@code key}. */
    @Nullable Node<V> below(@Nullable Node<V> tree, byte[] key) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? join(tree.key, tree.value, tree.left, below(tree.right, key))
                : below(tree.left, key);
    }

    /** The entries with keys not less than {@code key}. */
    @Nullable Node<V> from(@Nullable Node<V> tree, byte[] key) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? from(tree.right, key)
                : join(tree.key, tree.value, from(tree.left, key), tree.right);
    }

    /** All of {@code left} followed by all of {@code right}, whatever their sizes. */
    @Nullable Node<V> concat(@Nullable Node<V> left, @Nullable Node<V> right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        Node<V> first = right;
        while (first.left != null) {
            first = first.left;
        }
        return join(first.key, first.value, left, withoutFirst(right));
    }

    private Node<V> join(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        if (left != null && left.size > DELTA * Node.size(right) && left.size > 1) {
            return balanced(left.key, left.value, left.left, join(key, value, left.right, right));
        }
        if (right != null && right.size > DELTA * Node.size(left) && right.size > 1) {
            return balanced(right.key, right.value, join(key, value, left, right.left), right.right);
        }
        return node(key, value, left, right);
    }

    private @Nullable Node<V> withoutFirst(Node<V> tree) {
        return tree.left == null ? tree.right : balanced(tree.key, tree.value, withoutFirst(tree.left), tree.right);
    }

    private Node<V> balanced(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        Node<V> rotated = rotated(key, value, left, right);
        return rotated == null ? node(key, value, left, right) : rotated;
    }

    /** Null if neither side is too heavy. */
    private @Nullable Node<V> rotated(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        int lefts = Node.size(left);
        int rights = Node.size(right);
        if (lefts + rights > 1) {
            if (right != null && rights > DELTA * lefts) {
                return rotatedLeft(key, value, left, right);
            }
            if (left != null && lefts > DELTA * rights) {
                return rotatedRight(key, value, left, right);
            }
        }
        return null;
    }

    /** The node itself, brought up to date, unless it has to make way. */
    private Node<V> rebalanced(Node<V> tree) {
        Node<V> balanced = rotated(tree.key, tree.value, tree.left, tree.right);
        if (balanced != null) {
            return balanced;
        }
        tree.size = 1 + Node.size(tree.left) + Node.size(tree.right);
        tree.summary = summaryOf(tree.key, tree.value, tree.left, tree.right);
        return tree;
    }

    private Node<V> rotatedLeft(byte[] key, V value, @Nullable Node<V> left, Node<V> right) {
        Node<V> inner = right.left;
        if (inner == null || inner.size < GAMMA * Node.size(right.right)) {
            return node(right.key, right.value, node(key, value, left, inner), right.right);
        }
        return node(
                inner.key,
                inner.value,
                node(key, value, left, inner.left),
                node(right.key, right.value, inner.right, right.right));
    }

    private Node<V> rotatedRight(byte[] key, V value, Node<V> left, @Nullable Node<V> right) {
        Node<V> inner = left.right;
        if (inner == null || inner.size < GAMMA * Node.size(left.left)) {
            return node(left.key, left.value, left.left, node(key, value, inner, right));
        }
        return node(
                inner.key,
                inner.value,
                node(left.key, left.value, left.left, inner.left),
                node(key, value, inner.right, right));
    }

    private Node<V> node(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        return new Node<>(key, value, left, right, summaryOf(key, value, left, right));
    }

    private long summaryOf(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        return summary.join(summary.of(key, value), summary.join(Node.summary(left), Node.summary(right)));
    }
}
