package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The change feed behind A8: what is appended to it, and what becomes of those who read too late. */
class FeedContract extends JobsContract {
    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    /** What the feed says, as {@code (JobId, state)}, oldest first. */
    private List<List<Object>> feed() {
        return rows.under("feed", "index").stream()
                .map(key -> rows.value("feed", "index", key.getVersionstamp(0)).subList(0, 2))
                .toList();
    }

    /** Waits until the feed has been trimmed up to a place, with a watch on the row that says how far it is. */
    private void awaitTrimmedUpTo(Versionstamp place) {
        CompletableFuture<Void> change = rows.nextChange("feed_trimmed", "index");
        while (!rows.isThere("feed_trimmed", "index")
                || place.compareTo((Versionstamp)
                                rows.value("feed_trimmed", "index").get(0))
                        > 0) {
            await(change);
            change = rows.nextChange("feed_trimmed", "index");
        }
        change.cancel(false);
    }

    private Versionstamp newest() {
        List<Tuple> keys = rows.under("feed", "index");
        return keys.get(keys.size() - 1).getVersionstamp(0);
    }

    /** Lets a node that keeps the feed for no more than a second trim it up to a place. */
    private void trim(Versionstamp place) {
        shortLeases(INDEX); // as often as it looks for lost jobs, it trims
        try (CouchJobs trimming = CouchJobs.builder(database)
                .subspace(prefix)
                .transactionTimeout(Duration.ofSeconds(1))
                .feedRetention(Duration.ofSeconds(1))
                .build()) {
            trimming.maintenance().monitor(INDEX);
            awaitTrimmedUpTo(place);
        }
    }

    @Test
    void everyChangeIsAppendedWithItsState() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().update(database, job));
        await(jobs.processor().update(database, job, new WorkData(2)));
        await(jobs.processor().finish(database, job));
        await(jobs.remove(database, INDEX, "j1"));

        assertThat(feed())
                .containsExactly(
                        List.of("j1", "pending"),
                        List.of("j1", "running"),
                        List.of("j1", "running"),
                        List.of("j1", "finished"),
                        List.of("j1", "not_found"));
    }

    @Test
    void theFeedIsTrimmedBehindItsReaders() {
        await(jobs.processor().finish(database, accepted("j1", 1)));

        trim(newest());

        assertThat(feed()).isEmpty();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aReaderOfChangesWhoComesTooLateIsToldToListAgain() {
        Versionstamp early = await(jobs.changes().now(database));
        add("j1", 1);
        Versionstamp missed = newest();
        trim(missed);
        add("j2", 2);

        for (ChangePage page : List.of(
                await(jobs.changes().read(database, INDEX, early, 10)),
                await(jobs.changes().read(database, early, 10)))) {
            assertThat(page.isTrimmed()).isTrue();
            assertThat(page.changes()).isEmpty();
            assertThat(page.hasMore()).isFalse();
            assertThat(await(jobs.getJobData(jobs.atLeastVersion(database, page.next()), INDEX, "j2")))
                    .contains(new WorkData(2));
            assertThat(await(jobs.changes().read(database, INDEX, page.next(), 10))
                            .changes())
                    .isEmpty();
        }
        assertThat(await(jobs.changes().await(INDEX, early, LONG))).isTrue();
    }

    @Test
    void aReaderOfChangesWhoHasReadWhatWasTrimmedGoesOn() {
        add("j1", 1);
        Versionstamp read = newest();
        trim(read);
        add("j2", 2);

        for (Versionstamp since : List.of(read, JobChanges.OLDEST)) {
            for (ChangePage page : List.of(
                    await(jobs.changes().read(database, INDEX, since, 10)),
                    await(jobs.changes().read(database, since, 10)))) {
                assertThat(page.isTrimmed()).isFalse();
                assertThat(page.changes()).extracting(JobChange::jobId).containsExactly("j2");
            }
        }
    }

    @Test
    void aSubscriberWhoReadsTooLateIsToldWhatTheJobIsNow() {
        add("j1", 1);
        DisturbedDatabase way = new DisturbedDatabase(database);
        CouchJobs remote = node(way.asDatabase(), Environment.system());
        Subscription<WorkData> subscription = await(remote.subscribe(database, INDEX, "j1"));
        CompletableFuture<Void> felt = way.cut(1);
        await(jobs.processor().finish(database, accept(), new WorkData(2)));
        await(felt);

        Versionstamp missed = newest();
        trim(missed);
        way.mend();

        JobEvent<WorkData> event = await(subscription.awaitEvent(LONG)).orElseThrow();
        assertThat(event.state()).isEqualTo(JobState.FINISHED);
        assertThat(event.data()).contains(new WorkData(2));
    }
}
