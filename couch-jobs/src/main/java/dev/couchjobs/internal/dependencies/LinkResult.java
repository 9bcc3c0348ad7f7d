package dev.couchjobs.internal.dependencies;

import dev.couchjobs.internal.job.DependencyState;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of linking a job to its dependencies.
 *
 * @param waits whether the job waits for a dependency
 * @param failure the end of a dependency because of which the job cannot run, or null
 * @param graphs the graphs of its dependencies, which it connects
 */
public record LinkResult(boolean waits, @Nullable ReleaseNotice failure, Set<Long> graphs) {
    /** The job waits for no dependency. */
    public static final LinkResult NONE = new LinkResult(false, null, Set.of());

    /** The job waits for a dependency. */
    static final LinkResult WAITS = new LinkResult(true, null, Set.of());

    static LinkResult failed(ReleaseNotice failure) {
        return new LinkResult(false, failure, Set.of());
    }

    /** {@return a copy for a dependency in a graph} */
    LinkResult in(long graph) {
        return graph == DependencyState.NO_GRAPH ? this : new LinkResult(waits, failure, Set.of(graph));
    }

    static LinkResult ofAll(List<LinkResult> links) {
        return new LinkResult(
                links.stream().anyMatch(LinkResult::waits),
                links.stream()
                        .map(LinkResult::failure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null),
                links.stream().flatMap(link -> link.graphs.stream()).collect(Collectors.toUnmodifiableSet()));
    }

    /** {@return whether the job is added as if it had no dependencies} */
    public boolean isNone() {
        return !waits && failure == null;
    }
}
