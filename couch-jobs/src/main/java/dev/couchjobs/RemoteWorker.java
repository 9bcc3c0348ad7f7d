package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * How a worker that is not a {@link Worker} of this library describes itself: see {@link Workers#report}.
 *
 * @param name its name, of 1 to 200 characters, which other workers may have too
 * @param id tells it from all other workers
 * @param host the host of its process, of at most 255 characters; may be empty
 * @param version the name and version of its program or client library, of at most 255 characters; may be empty
 * @param types the types whose jobs it runs; the first 100 are kept
 * @param concurrency how many jobs it may run at once
 * @param running how many it runs
 * @param isDraining whether it claims nothing more and ends when its jobs have ended
 * @param startedAt when it started
 */
public record RemoteWorker(
        String name,
        UUID id,
        String host,
        String version,
        List<String> types,
        int concurrency,
        int running,
        boolean isDraining,
        Instant startedAt) {
    /**
     * Checks the texts, and copies the types.
     *
     * @param name see above
     * @param id see above
     * @param host see above
     * @param version see above
     * @param types see above
     * @param concurrency see above
     * @param running see above
     * @param isDraining see above
     * @param startedAt see above
     * @throws IllegalArgumentException if the name is empty, or a text is too long, is no well-formed text, or has a
     *     control character
     */
    public RemoteWorker {
        Name.WORKER.checked(name);
        Objects.requireNonNull(id, "id");
        if (!host.isEmpty()) {
            Name.HOST.checked(host);
        }
        if (!version.isEmpty()) {
            Name.VERSION.checked(version);
        }
        Objects.requireNonNull(startedAt, "startedAt");
        types = List.copyOf(types);
        types.forEach(Name.TYPE::known);
    }
}
