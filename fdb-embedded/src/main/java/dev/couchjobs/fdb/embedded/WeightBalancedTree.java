package dev.couchjobs.fdb.embedded;

import org.jspecify.annotations.Nullable;

/**
 * The balancing of {@link OrderedMap}: trees in which no subtree outweighs its sibling by more than a constant factor,
 * after Adams, "Efficient sets: a balancing act" (1993), with the factors that Hirai and Yamamoto proved sound in
 * "Balancing weight-balanced trees" (2011). Everything is built on joining, which makes cutting out a range as cheap as
 * removing one key.
 *
 * <p>Every change is made by an editor, which changes the nodes that it made itself and copies all others.
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

    Node<V> insert(@Nullable Node<V> tree, byte[] key, V value, Object editor) {
        if (tree == null) {
            return node(key, value, null, null, editor);
        }
        int order = Bytes.compare(key, tree.key);
        if (order < 0) {
            return changed(tree, tree.value, insert(tree.left, key, value, editor), tree.right, editor);
        }
        if (order > 0) {
            return changed(tree, tree.value, tree.left, insert(tree.right, key, value, editor), editor);
        }
        return changed(tree, value, tree.left, tree.right, editor);
    }

    @Nullable Node<V> remove(@Nullable Node<V> tree, byte[] key, Object editor) {
        if (tree == null) {
            return null;
        }
        int order = Bytes.compare(key, tree.key);
        if (order == 0) {
            return concat(tree.left, tree.right, editor);
        }
        int size = tree.size;
        if (order < 0) {
            Node<V> left = remove(tree.left, key, editor);
            return 1 + Node.size(left) + Node.size(tree.right) == size
                    ? tree
                    : changed(tree, tree.value, left, tree.right, editor);
        }
        Node<V> right = remove(tree.right, key, editor);
        return 1 + Node.size(tree.left) + Node.size(right) == size
                ? tree
                : changed(tree, tree.value, tree.left, right, editor);
    }

    /** The entries with keys less than {@code key}. */
    @Nullable Node<V> below(@Nullable Node<V> tree, byte[] key, Object editor) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? join(tree.key, tree.value, tree.left, below(tree.right, key, editor), editor)
                : below(tree.left, key, editor);
    }

    /** The entries with keys not less than {@code key}. */
    @Nullable Node<V> from(@Nullable Node<V> tree, byte[] key, Object editor) {
        if (tree == null) {
            return null;
        }
        return Bytes.less(tree.key, key)
                ? from(tree.right, key, editor)
                : join(tree.key, tree.value, from(tree.left, key, editor), tree.right, editor);
    }

    /** All of {@code left} followed by all of {@code right}, whatever their sizes. */
    @Nullable Node<V> concat(@Nullable Node<V> left, @Nullable Node<V> right, Object editor) {
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
        return join(first.key, first.value, left, withoutFirst(right, editor), editor);
    }

    private Node<V> join(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right, Object editor) {
        if (left != null && left.size > DELTA * Node.size(right) && left.size > 1) {
            return changed(left, left.value, left.left, join(key, value, left.right, right, editor), editor);
        }
        if (right != null && right.size > DELTA * Node.size(left) && right.size > 1) {
            return changed(right, right.value, join(key, value, left, right.left, editor), right.right, editor);
        }
        return node(key, value, left, right, editor);
    }

    private @Nullable Node<V> withoutFirst(Node<V> tree, Object editor) {
        return tree.left == null
                ? tree.right
                : changed(tree, tree.value, withoutFirst(tree.left, editor), tree.right, editor);
    }

    /** A node with that in it, in balance: the same one if the editor made it and it need not make way. */
    private Node<V> changed(Node<V> tree, V value, @Nullable Node<V> left, @Nullable Node<V> right, Object editor) {
        int lefts = Node.size(left);
        int rights = Node.size(right);
        if (lefts + rights > 1) {
            if (right != null && rights > DELTA * lefts) {
                return rotatedLeft(tree.key, value, left, right, editor);
            }
            if (left != null && lefts > DELTA * rights) {
                return rotatedRight(tree.key, value, left, right, editor);
            }
        }
        if (tree.editor != editor) {
            return node(tree.key, value, left, right, editor);
        }
        tree.value = value;
        tree.left = left;
        tree.right = right;
        tree.size = 1 + lefts + rights;
        tree.summary = summaryOf(tree.key, value, left, right);
        return tree;
    }

    private Node<V> rotatedLeft(byte[] key, V value, @Nullable Node<V> left, Node<V> right, Object editor) {
        Node<V> inner = right.left;
        if (inner == null || inner.size < GAMMA * Node.size(right.right)) {
            return node(right.key, right.value, node(key, value, left, inner, editor), right.right, editor);
        }
        return node(
                inner.key,
                inner.value,
                node(key, value, left, inner.left, editor),
                node(right.key, right.value, inner.right, right.right, editor),
                editor);
    }

    private Node<V> rotatedRight(byte[] key, V value, Node<V> left, @Nullable Node<V> right, Object editor) {
        Node<V> inner = left.right;
        if (inner == null || inner.size < GAMMA * Node.size(left.left)) {
            return node(left.key, left.value, left.left, node(key, value, inner, right, editor), editor);
        }
        return node(
                inner.key,
                inner.value,
                node(left.key, left.value, left.left, inner.left, editor),
                node(key, value, inner.right, right, editor),
                editor);
    }

    private Node<V> node(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right, Object editor) {
        return new Node<>(key, value, left, right, summaryOf(key, value, left, right), editor);
    }

    private long summaryOf(byte[] key, V value, @Nullable Node<V> left, @Nullable Node<V> right) {
        return summary.join(summary.of(key, value), summary.join(Node.summary(left), Node.summary(right)));
    }
}
