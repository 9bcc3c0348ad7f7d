package dev.couchjobs.costs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One claim loads the data of jobs up to a size, or of one job. */
@Timeout(60)
class LargeClaimsTest {
    private static final JobType<String, String> BIG = JobType.of("big", String.class, String.class);

    private final Database database = EmbeddedDatabase.openInMemory();
    private final CouchJobs jobs = CouchJobs.builder(database).build();

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    private void add(int count, int characters) {
        for (int i = 0; i < count; i++) {
            jobs.add(database, BIG, "j" + i, "x".repeat(characters)).join();
        }
    }

    private CompletableFuture<List<Job<String>>> accept(AcceptOptions options) {
        return jobs.processor().accept(BIG, 100, options);
    }

    @ParameterizedTest
    @CsvSource({"3900000, 2", "2600000, 3", "7900000, 1", "5000000, 1", "90000, 10", "1000, 10"})
    void aClaimHasJobsUpToASizeAndTheNextOnesHaveTheRest(int characters, int most) {
        int count = 10;
        add(count, characters);
        TreeSet<String> ids = new TreeSet<>();
        while (ids.size() < count) {
            List<Job<String>> claims = accept(AcceptOptions.nonBlocking()).join();
            assertThat(claims).hasSize(Math.min(most, count - ids.size()));
            claims.forEach(claim -> {
                assertThat(claim.data()).hasSize(characters);
                assertThat(ids.add(claim.id())).isTrue();
            });
        }
        assertThat(accept(AcceptOptions.nonBlocking()).join()).isEmpty();
    }

    /** None of them is told that there is no job, and none waits while there are some. */
    @Test
    void callsThatShareAClaimGetTheRestAtOnce() {
        add(6, 3_900_000);
        for (AcceptOptions options : List.of(AcceptOptions.nonBlocking(), AcceptOptions.defaults())) {
            List<CompletableFuture<Job<String>>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(jobs.processor().accept(BIG, options).thenApply(claim -> claim.orElseThrow()));
            }
            all.forEach(claim -> assertThat(claim.join().data()).hasSize(3_900_000));
        }
    }
}
