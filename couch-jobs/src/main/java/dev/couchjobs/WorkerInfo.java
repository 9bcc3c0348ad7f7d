package dev.couchjobs;

import java.time.Instant;
import java.util.List;

/**
 * A worker, as it has described itself in the database. A worker does so when it starts, about once a minute, and
 * when its state or its concurrency changes.
 *
 * @param name its name, which other workers may have too
 * @param id tells it from all other workers
 * @param host the host of its process, as the system names it; empty if the instance has an {@link Environment} of its
 *     own
 * @param libraryVersion the version of couch-jobs; {@code unknown} if the classes do not say
 * @param types the types whose jobs it runs, in order; at most 100 of them
 * @param concurrency how many jobs it may run at once
 * @param running how many handlers it runs
 * @param state what it does; a worker that still ends a claim is not {@link WorkerState#PAUSED} yet
 * @param startedAt when it started
 * @param lastSeen when it last described itself
 * @param isLive whether that is at most 3 minutes ago, by the agreed clock of the process that asks; a worker that was
 *     closed is not listed
 */
public record WorkerInfo(
        String name,
        String id,
        String host,
        String libraryVersion,
        List<String> types,
        int concurrency,
        int running,
        WorkerState state,
        Instant startedAt,
        Instant lastSeen,
        boolean isLive) {
    /**
     * Copies the types.
     *
     * @param name see above
     * @param id see above
     * @param host see above
     * @param libraryVersion see above
     * @param types see above
     * @param concurrency see above
     * @param running see above
     * @param state see above
     * @param startedAt see above
     * @param lastSeen see above
     * @param isLive see above
     */
    public WorkerInfo {
        types = List.copyOf(types);
    }
}
