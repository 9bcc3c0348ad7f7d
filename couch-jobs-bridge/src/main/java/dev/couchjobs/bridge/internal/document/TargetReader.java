package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Reads the target of a step. */
final class TargetReader {
    private static final String WHAT =
            "name a node or a group, or several in an array, or say \"any\" for any node or \"all\" for all nodes";

    private final NodeDirectory cluster;
    private final boolean isTrusting;

    TargetReader(NodeDirectory cluster, boolean isTrusting) {
        this.cluster = cluster;
        this.isTrusting = isTrusting;
    }

    /**
     * {@return the target, if it is valid}
     *
     * @param step the step's fields
     * @param isOver whether the step has finished; its nodes need not exist any more then
     */
    Optional<Target> read(Fields step, boolean isOver) {
        if (!step.requires("target", WHAT)) {
            return Optional.empty();
        }
        JsonNode value = step.value("target").orElseThrow();
        if (value.isString()) {
            String name = value.stringValue();
            return switch (name) {
                case "any" -> Optional.of(new Target.Any());
                case "all" -> Optional.of(new Target.All(cluster.nodes()));
                default -> {
                    SortedSet<String> written = new TreeSet<>();
                    written.add(name);
                    yield named(step, written, isOver);
                }
            };
        }
        if (!value.isArray()) {
            step.illTyped("target", value, "a text or an array of texts: " + WHAT);
            return Optional.empty();
        }
        return names(step, value).flatMap(written -> named(step, written, isOver));
    }

    private Optional<SortedSet<String>> names(Fields step, JsonNode array) {
        SortedSet<String> names = new TreeSet<>();
        for (JsonNode name : array) {
            if (!name.isString()
                    || name.stringValue().equals("any")
                    || name.stringValue().equals("all")) {
                step.fault(
                        "target",
                        "has " + ValidationErrors.quote(name.asString(""))
                                + " in its array, where only nodes and groups can be named");
                return Optional.empty();
            }
            names.add(name.stringValue());
        }
        if (names.isEmpty()) {
            step.fault("target", "is an empty array; " + WHAT);
            return Optional.empty();
        }
        return Optional.of(names);
    }

    private Optional<Target> named(Fields step, SortedSet<String> written, boolean isOver) {
        SortedSet<String> nodes = new TreeSet<>();
        boolean isKnown = true;
        for (String name : written) {
            Optional<SortedSet<String>> members = cluster.named(name);
            if (members.isPresent()) {
                nodes.addAll(members.get());
            } else if (isOver || isTrusting) {
                nodes.add(name);
            } else {
                step.fault(
                        "target",
                        "there is no node or group " + ValidationErrors.quote(name)
                                + step.errors().hint(name, cluster.names()));
                isKnown = false;
            }
        }
        if (!isKnown) {
            return Optional.empty();
        }
        return Optional.of(
                nodes.size() == 1 ? new Target.OneNode(nodes.first(), written) : new Target.OneOf(nodes, written));
    }
}
