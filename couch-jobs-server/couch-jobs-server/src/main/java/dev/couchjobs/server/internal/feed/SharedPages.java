package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Pages of changes, read once for all clients that follow the same jobs from the same sequence. What followed a
 * sequence does not change, so a page that has changes may be read again; one that has none may not.
 */
final class SharedPages {
    private static final int LIMIT = 200;
    private static final int PAGES_MAX = 1_000;
    private static final Duration KEPT = Duration.ofSeconds(10);

    private final CouchJobs jobs;
    private final Database database;
    /** Tidied by its callers: a thread of the JVM's pool would hold an application for a minute after its end. */
    private final AsyncCache<Place, ChangePage> pages = Caffeine.newBuilder()
            .maximumSize(PAGES_MAX)
            .expireAfterWrite(KEPT)
            .executor(Runnable::run)
            .buildAsync();

    /** @param type the name of a type, or empty for all */
    private record Place(Optional<String> type, Versionstamp since) {}

    SharedPages(CouchJobs jobs, Database database) {
        this.jobs = jobs;
        this.database = database;
    }

    CompletableFuture<ChangePage> read(Optional<String> type, Versionstamp since) {
        Place place = new Place(type, since);
        CompletableFuture<ChangePage> page = pages.get(place, (key, executor) -> readNow(key));
        return page.thenApply(read -> {
            if (read.changes().isEmpty()) {
                pages.synchronous().invalidate(place);
            }
            return read;
        });
    }

    private CompletableFuture<ChangePage> readNow(Place place) {
        return place.type()
                .map(type -> jobs.changes().read(database, NewJobs.type(type), place.since(), LIMIT))
                .orElseGet(() -> jobs.changes().read(database, place.since(), LIMIT));
    }
}
