package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobChange;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Follows changes for one client: knows which it wants, and where it is. */
final class Follower {
    private final CouchJobs jobs;
    private final SharedPages pages;
    private final Optional<String> type;
    private final Predicate<JobChange> isWanted;
    private Versionstamp since;

    Follower(
            CouchJobs jobs,
            SharedPages pages,
            Optional<String> type,
            Predicate<JobChange> isWanted,
            Versionstamp since) {
        this.jobs = jobs;
        this.pages = pages;
        this.type = type;
        this.isWanted = isWanted;
        this.since = since;
    }

    Versionstamp since() {
        return since;
    }

    boolean wants(JobChange change) {
        return isWanted.test(change);
    }

    /** {@return the next page, perhaps without wanted changes; the follower is then behind it} */
    CompletableFuture<ChangePage> next() {
        return pages.read(type, since).thenApply(page -> {
            since = page.next();
            return page;
        });
    }

    /** {@return whether there may be changes; false when the time is up} */
    CompletableFuture<Boolean> await(Duration timeout) {
        return type.map(name -> jobs.changes().await(NewJobs.type(name), since, timeout))
                .orElseGet(() -> jobs.changes().await(since, timeout));
    }
}
