package dev.couchjobs.server.internal.openapi;

import dev.couchjobs.server.internal.http.UrlText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the operation of a path: a tree of segments, in which a fixed segment comes before a parameter. It splits the
 * path before it decodes it, so ids may contain slashes.
 */
public final class Router {
    private final Node root = new Node();

    /**
     * What a path names.
     *
     * @param byMethod its operations
     * @param path the values of the parameters in the path
     */
    public record Match(Map<String, ApiOperation> byMethod, Map<String, String> path) {}

    private static final class Node {
        final Map<String, Node> fixed = new HashMap<>();

        @Nullable Node parameter;

        final Map<String, ApiOperation> operations = new TreeMap<>();
    }

    public Router(Collection<ApiOperation> operations) {
        for (ApiOperation operation : operations) {
            Node node = root;
            for (String segment : segments(operation.path())) {
                node = isParameter(segment) ? parameterOf(node) : node.fixed.computeIfAbsent(segment, s -> new Node());
            }
            if (node.operations.put(operation.method(), operation) != null) {
                throw new IllegalStateException(operation.method() + " " + operation.path() + " occurs twice.");
            }
        }
    }

    private static Node parameterOf(Node node) {
        if (node.parameter == null) {
            node.parameter = new Node();
        }
        return node.parameter;
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{");
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>(List.of(path.split("/", -1)));
        segments.remove(0);
        return segments;
    }

    /**
     * {@return what a path names, if anything}
     *
     * @param path encoded, and begins with a slash
     * @throws IllegalArgumentException if its encoding is wrong
     */
    public Optional<Match> find(String path) {
        if (!path.startsWith("/")) {
            return Optional.empty();
        }
        List<String> decoded = segments(path).stream().map(Router::decode).toList();
        Node node = find(root, decoded, 0);
        return node == null ? Optional.empty() : Optional.of(match(node, decoded));
    }

    private static @Nullable Node find(Node node, List<String> segments, int depth) {
        if (depth == segments.size()) {
            return node.operations.isEmpty() ? null : node;
        }
        Node fixed = node.fixed.get(segments.get(depth));
        Node found = fixed == null ? null : find(fixed, segments, depth + 1);
        if (found != null || node.parameter == null) {
            return found;
        }
        return find(node.parameter, segments, depth + 1);
    }

    private static Match match(Node node, List<String> segments) {
        Map<String, String> values = new LinkedHashMap<>();
        List<String> template =
                segments(node.operations.values().iterator().next().path());
        for (int i = 0; i < template.size(); i++) {
            String segment = template.get(i);
            if (isParameter(segment)) {
                values.put(segment.substring(1, segment.length() - 1), segments.get(i));
            }
        }
        return new Match(node.operations, values);
    }

    /** A plus sign in a path is itself. */
    private static String decode(String segment) {
        return UrlText.ofPath(segment);
    }
}
