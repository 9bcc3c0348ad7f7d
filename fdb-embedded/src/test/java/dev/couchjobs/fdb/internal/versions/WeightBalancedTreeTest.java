package dev.couchjobs.fdb.internal.versions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.testing.Samples;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WeightBalancedTreeTest {
    private final WeightBalancedTree<byte[]> trees = new WeightBalancedTree<>(Summary.TOTAL_BYTES);

    @Test
    void itStaysBalancedUnderInsertsAndRemovals() {
        Samples.check(1_000, samples -> {
            List<Integer> inserted = numbers(samples);
            List<Integer> removed = numbers(samples);

            MapNode<byte[]> tree = null;
            for (int number : inserted) {
                tree = trees.insert(tree, key(number), Bytes.EMPTY, new Object());
                assertSound(tree);
            }
            for (int number : removed) {
                tree = trees.remove(tree, key(number), new Object());
                assertSound(tree);
            }
        });
    }

    @Test
    void itStaysBalancedWhenManyAreInsertedAtOnce() {
        Samples.check(1_000, samples -> {
            List<Integer> before = numbers(samples);
            SortedSet<Integer> inserted = new TreeSet<>(numbers(samples));

            Object owner = new Object();
            MapNode<byte[]> tree = null;
            MapNode<byte[]> oneByOne = null;
            for (int number : before) {
                tree = trees.insert(tree, key(number), Bytes.EMPTY, owner);
                oneByOne = trees.insert(oneByOne, key(number), Bytes.EMPTY, owner);
            }
            List<byte[]> keys =
                    inserted.stream().map(WeightBalancedTreeTest::key).toList();
            List<byte[]> values = Collections.nCopies(keys.size(), new byte[2]);
            Object otherOwner = new Object();
            MapNode<byte[]> after = trees.insertAscending(tree, keys, values, 0, keys.size(), otherOwner);
            assertSound(after);
            assertSound(tree);
            for (byte[] key : keys) {
                oneByOne = trees.insert(oneByOne, key, values.get(0), owner);
            }
            assertThat(entries(after)).isEqualTo(entries(oneByOne));
        });
    }

    private static List<String> entries(@Nullable MapNode<byte[]> node) {
        List<String> entries = new ArrayList<>();
        if (node != null) {
            entries.addAll(entries(node.left));
            entries.add(Arrays.toString(node.key) + "=" + node.value.length);
            entries.addAll(entries(node.right));
        }
        return entries;
    }

    @Test
    void madeByOneEditorItIsTheSameTree() {
        Samples.check(1_000, samples -> {
            List<Integer> inserted = numbers(samples);
            List<Integer> removed = numbers(samples);

            Object owner = new Object();
            MapNode<byte[]> byMany = null;
            MapNode<byte[]> byOne = null;
            for (int number : inserted) {
                byte[] value = new byte[number % 7];
                byMany = trees.insert(byMany, key(number), value, new Object());
                byOne = trees.insert(byOne, key(number), value, owner);
                assertSound(byOne);
            }
            for (int number : removed) {
                byMany = trees.remove(byMany, key(number), new Object());
                byOne = trees.remove(byOne, key(number), owner);
                assertSound(byOne);
            }
            assertSame(byMany, byOne);
        });
    }

    @Test
    void itStaysBalancedWhenCutAndJoined() {
        Samples.check(1_000, samples -> {
            int size = samples.between(0, 500);
            int begin = samples.between(0, 500);
            int end = samples.between(0, 500);

            Object owner = new Object();
            MapNode<byte[]> tree = ascending(size, owner);
            MapNode<byte[]> below = trees.below(tree, key(Math.min(begin, end)), owner);
            MapNode<byte[]> from = trees.from(tree, key(Math.max(begin, end)), owner);
            assertSound(below);
            assertSound(from);
            assertSound(trees.concat(below, from, owner));
        });
    }

    @Test
    void sortedInsertionDoesNotDegenerate() {
        assertThat(depth(ascending(100_000, new Object()))).isLessThan(35);
    }

    private static List<Integer> numbers(Samples samples) {
        return samples.list(0, 200, each -> each.between(0, 300));
    }

    private @Nullable MapNode<byte[]> ascending(int size, Object owner) {
        MapNode<byte[]> tree = null;
        for (int number = 0; number < size; number++) {
            tree = trees.insert(tree, key(number), Bytes.EMPTY, owner);
        }
        return tree;
    }

    private static void assertSound(@Nullable MapNode<byte[]> node) {
        if (node == null) {
            return;
        }
        int lefts = MapNode.size(node.left);
        int rights = MapNode.size(node.right);
        assertThat(node.size).isEqualTo(1 + lefts + rights);
        assertThat(node.summary)
                .isEqualTo(
                        node.key.length + node.value.length + MapNode.summary(node.left) + MapNode.summary(node.right));
        if (lefts + rights > 1) {
            assertThat(lefts).isLessThanOrEqualTo(3 * rights);
            assertThat(rights).isLessThanOrEqualTo(3 * lefts);
        }
        if (node.left != null) {
            assertThat(Bytes.less(node.left.key, node.key)).isTrue();
        }
        if (node.right != null) {
            assertThat(Bytes.less(node.key, node.right.key)).isTrue();
        }
        assertSound(node.left);
        assertSound(node.right);
    }

    private static void assertSame(@Nullable MapNode<byte[]> expected, @Nullable MapNode<byte[]> actual) {
        assertThat(actual == null).isEqualTo(expected == null);
        if (expected != null && actual != null) {
            assertThat(actual.key).isEqualTo(expected.key);
            assertThat(actual.value).isSameAs(expected.value);
            assertSame(expected.left, actual.left);
            assertSame(expected.right, actual.right);
        }
    }

    private static int depth(@Nullable MapNode<byte[]> node) {
        return node == null ? 0 : 1 + Math.max(depth(node.left), depth(node.right));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }
}
