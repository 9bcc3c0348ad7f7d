package dev.couchjobs.bridge.internal.document;

import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Where a step is to run. Nodes are in the order of their names, so that equal targets are equal however they were
 * written. Groups have been replaced by their nodes.
 */
public sealed interface Target {

    /** On this node. */
    record OneNode(String node) implements Target {}

    /** On one of these nodes, whichever is first; at least two. */
    record OneOf(SortedSet<String> nodes) implements Target {
        /** Keeps a copy of the set. */
        public OneOf {
            nodes = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        }
    }

    /** On one node, whichever is first. */
    record Any() implements Target {}

    /** Once on every one of these nodes. */
    record All(SortedSet<String> nodes) implements Target {
        /** Keeps a copy of the set. */
        public All {
            nodes = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        }
    }
}
