package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The nodes that a target may name, from the configuration. They must be the same on all nodes.
 *
 * @param nodes the names of all nodes, at least one
 * @param groups groups of nodes by name
 */
public record NodeDirectory(SortedSet<String> nodes, SortedMap<String, SortedSet<String>> groups) {
    private static final SortedSet<String> WORDS = new TreeSet<>(List.of("all", "any"));

    /**
     * Copies the sets.
     *
     * @throws IllegalArgumentException if a name is ambiguous in a target, or a group is empty or contains an unknown
     *     node
     */
    public NodeDirectory {
        nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        SortedMap<String, SortedSet<String>> copies = new TreeMap<>();
        groups.forEach((name, members) -> copies.put(name, Collections.unmodifiableSortedSet(new TreeSet<>(members))));
        groups = Collections.unmodifiableSortedMap(copies);
        check(nodes, groups);
    }

    /** {@return a cluster without groups} */
    public static NodeDirectory of(String... nodes) {
        return of(List.of(nodes), Map.of());
    }

    /**
     * {@return a cluster}
     *
     * @param nodes the names of all nodes
     * @param groups groups of nodes by name
     */
    public static NodeDirectory of(Collection<String> nodes, Map<String, ? extends Collection<String>> groups) {
        SortedMap<String, SortedSet<String>> sorted = new TreeMap<>();
        groups.forEach((name, members) -> sorted.put(name, new TreeSet<>(members)));
        return new NodeDirectory(new TreeSet<>(nodes), sorted);
    }

    /** {@return the nodes of a name: a node's, or a group's; empty if it is neither} */
    Optional<SortedSet<String>> named(String name) {
        if (nodes.contains(name)) {
            return Optional.of(new TreeSet<>(Set.of(name)));
        }
        return Optional.ofNullable(groups.get(name));
    }

    /** {@return all names that a target may use} */
    SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>(WORDS);
        names.addAll(nodes);
        names.addAll(groups.keySet());
        return names;
    }

    private static void check(SortedSet<String> nodes, SortedMap<String, SortedSet<String>> groups) {
        require(!nodes.isEmpty(), "a cluster has at least one node");
        for (String node : nodes) {
            require(!node.isBlank() && node.indexOf(',') < 0, "a node's name is not blank and has no comma: " + node);
            require(!WORDS.contains(node), "no node can be called \"" + node + "\": that word is a target of its own");
        }
        groups.forEach((name, members) -> {
            require(!name.isBlank(), "a group's name is not blank");
            require(!WORDS.contains(name), "no group can be called \"" + name + "\": that word is a target of its own");
            require(!nodes.contains(name), "\"" + name + "\" is the name of a node and of a group");
            require(!members.isEmpty(), "the group \"" + name + "\" has no nodes");
            for (String member : members) {
                require(
                        nodes.contains(member),
                        "the group \"" + name + "\" names \"" + member + "\", which is not a node"
                                + NameSuggestion.hint(member, nodes));
            }
        });
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
