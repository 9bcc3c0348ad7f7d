package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The nodes on which a step may run. Groups are replaced by their members in the configuration of the reading node; the
 * names in the document are kept, because they are part of the plan. Both are sorted, so that equal targets are equal
 * however a document writes them.
 */
public sealed interface Target {

    /** {@return the names in the document: of nodes, of groups, or {@code any} or {@code all}} */
    SortedSet<String> written();

    /**
     * {@return whether the step may run on a node}
     *
     * @param node the node's name
     */
    boolean includes(String node);

    /**
     * One particular node.
     *
     * @param node the only node of the names
     * @param written the names in the document
     */
    record OneNode(String node, SortedSet<String> written) implements Target {
        public OneNode {
            written = sorted(written);
        }

        /** Creates the target that names a node. */
        public OneNode(String node) {
            this(node, sorted(Set.of(node)));
        }

        @Override
        public boolean includes(String other) {
            return node.equals(other);
        }
    }

    /**
     * Any one of several nodes.
     *
     * @param nodes at least two nodes
     * @param written the names in the document
     */
    record OneOf(SortedSet<String> nodes, SortedSet<String> written) implements Target {
        public OneOf {
            nodes = sorted(nodes);
            written = sorted(written);
        }

        /** Creates the target that names several nodes. */
        public OneOf(SortedSet<String> nodes) {
            this(nodes, nodes);
        }

        @Override
        public boolean includes(String node) {
            return nodes.contains(node);
        }
    }

    /** Any one node. */
    record Any() implements Target {
        @Override
        public SortedSet<String> written() {
            return sorted(Set.of("any"));
        }

        @Override
        public boolean includes(String node) {
            return true;
        }
    }

    /**
     * Each of several nodes. They are fixed when the step begins on the first of them.
     *
     * @param nodes at least one node
     */
    record All(SortedSet<String> nodes) implements Target {
        public All {
            nodes = sorted(nodes);
        }

        @Override
        public SortedSet<String> written() {
            return sorted(Set.of("all"));
        }

        @Override
        public boolean includes(String node) {
            return nodes.contains(node);
        }
    }

    private static SortedSet<String> sorted(Collection<String> names) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(names));
    }
}
