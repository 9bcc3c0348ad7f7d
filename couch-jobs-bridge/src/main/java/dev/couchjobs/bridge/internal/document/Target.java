package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Where a step is to run. Groups have been replaced by their nodes, as the configuration of the node that reads has
 * them; the names that the document uses are kept beside, for they are what the plan says. Both are sorted, so that
 * equal targets are equal however they were written.
 */
public sealed interface Target {

    /** {@return the names in the document: of nodes, of groups, or one of the words {@code any} and {@code all}} */
    SortedSet<String> written();

    /**
     * {@return whether the step may run on this node}
     *
     * @param node a node's name
     */
    boolean includes(String node);

    /**
     * On this node.
     *
     * @param node the only node that the names stand for
     * @param written the names in the document
     */
    record OneNode(String node, SortedSet<String> written) implements Target {
        /** Keeps a copy of the names. */
        public OneNode {
            written = sorted(written);
        }

        /** On the node that is named. */
        public OneNode(String node) {
            this(node, sorted(Set.of(node)));
        }

        @Override
        public boolean includes(String other) {
            return node.equals(other);
        }
    }

    /**
     * On one of these nodes, whichever is first.
     *
     * @param nodes at least two
     * @param written the names in the document
     */
    record OneOf(SortedSet<String> nodes, SortedSet<String> written) implements Target {
        /** Keeps copies of the sets. */
        public OneOf {
            nodes = sorted(nodes);
            written = sorted(written);
        }

        /** On one of the nodes that are named. */
        public OneOf(SortedSet<String> nodes) {
            this(nodes, nodes);
        }

        @Override
        public boolean includes(String node) {
            return nodes.contains(node);
        }
    }

    /** On one node, whichever is first. */
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
     * Once on every one of these nodes. Which they are is fixed when the step begins on the first of them.
     *
     * @param nodes at least one
     */
    record All(SortedSet<String> nodes) implements Target {
        /** Keeps a copy of the set. */
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
