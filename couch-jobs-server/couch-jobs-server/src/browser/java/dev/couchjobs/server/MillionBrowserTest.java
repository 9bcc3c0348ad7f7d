package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dashboard before a million jobs: what its pages read does not grow with them. */
@Timeout(600)
class MillionBrowserTest {
    private static final int JOBS = Integer.getInteger("million", 1_000_000);
    private static final int ENDED = 2_000;
    private static final int BATCH = 1_000;
    private static final int BATCHES_AT_ONCE = 8;

    /** A page by state looks at 500 jobs at most. */
    private static final int KEYS_MAX = 600;

    private static final JobType<Integer, Void> MANY = JobType.of("many", Integer.class);

    private static Database database;
    private static CountedDatabase counted;
    private static TestServer server;
    private static Browser browser;

    @BeforeAll
    static void fill() {
        database = EmbeddedDatabase.openInMemory();
        counted = new CountedDatabase(database);
        server = TestServer.of(counted.asDatabase());
        CouchJobs jobs = server.jobs;
        Instant begun = Instant.now();
        jobs.statuses().index(MANY).join();
        add(jobs, 0, ENDED);
        end(jobs);
        add(jobs, ENDED, JOBS);
        JobCounts counts = jobs.counts(database, MANY).join();
        assertThat(counts.total()).isEqualTo(JOBS);
        print("filled with " + counts + " in " + Duration.between(begun, Instant.now()));
        browser = new Browser(server.uri("/"));
        browser.look(1280, "light");
        browser.open("/ui/nothing");
        browser.sees("There is no such page");
    }

    @AfterAll
    static void close() {
        browser.close();
        server.close();
        database.close();
    }

    private static void print(String text) {
        System.out.println("[million] " + text);
    }

    private static void add(CouchJobs jobs, int from, int to) {
        Queue<CompletableFuture<?>> running = new ArrayDeque<>();
        for (int first = from; first < to; first += BATCH) {
            List<NewJob<Integer>> batch = IntStream.range(first, Math.min(to, first + BATCH))
                    .mapToObj(MillionBrowserTest::job)
                    .toList();
            running.add(jobs.addAll(database, batch));
            if (running.size() == BATCHES_AT_ONCE) {
                running.remove().join();
            }
        }
        running.forEach(CompletableFuture::join);
    }

    private static NewJob<Integer> job(int number) {
        NewJob<Integer> job = NewJob.of(MANY, number).id(String.format("job-%07d", number));
        return number % 100 == 0 ? job.tags("hundredth") : job;
    }

    private static void end(CouchJobs jobs) {
        AcceptOptions options = AcceptOptions.nonBlocking();
        for (int i = 0; i < ENDED; i += BATCH / 10) {
            List<Job<Integer>> claims =
                    jobs.processor().accept(MANY, BATCH / 10, options).join();
            CompletableFuture.allOf(claims.stream()
                            .map(job -> job.data() % 10 == 0
                                    ? jobs.processor().cancel(database, job, "not wanted")
                                    : jobs.processor().finish(database, job))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    private static double paint(String name) {
        Object millis = browser.run(
                "return (performance.getEntriesByName(arguments[0])[0] || {startTime: -1}).startTime", name);
        return ((Number) millis).doubleValue();
    }

    private static String slowestRequest() {
        return String.valueOf(browser.run("""
                const all = performance.getEntriesByType('resource')
                    .filter((one) => one.name.includes('/v1/') && !one.name.includes('/v1/feed'));
                const slowest = all.reduce((a, b) => (a.duration > b.duration ? a : b));
                return `${Math.round(slowest.duration)} ms: ${new URL(slowest.name).pathname}`;
                """));
    }

    private static long requests() {
        return ((Number) browser.run("return performance.getEntriesByType('resource')"
                        + ".filter((one) => one.name.includes('/v1/')).length"))
                .longValue();
    }

    @ParameterizedTest
    @CsvSource({
        "/,                                       '[aria-labelledby=types] tbody tr'",
        "/ui/jobs?type=many,                      '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/jobs?type=many&state=pending,        '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/jobs?type=many&state=finished,       '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/jobs?type=many&status=waiting,       '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/jobs?type=many&status=succeeded,     '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/jobs?type=many&tag=hundredth,        '[aria-label=Jobs] tbody tr:nth-child(50)'",
        "/ui/job?type=many&id=job-0010000,        '#data'",
        "/ui/type?name=many,                      '[aria-labelledby=counts]'",
        "/ui/types,                               '[aria-label=Types] tbody tr'",
        "/ui/workers,                             '[aria-labelledby=pauses] .empty'",
    })
    void aPageReadsFewKeysAndPaintsAtOnce(String path, String shown) {
        counted.forget();
        browser.open(path);
        browser.find(shown);
        double shownBy = ((Number) browser.run("return performance.now()")).doubleValue();
        browser.settles();
        long requests = requests();
        print("%-40s first paint %4.0f ms, content by %4.0f ms, %2d requests, %5d keys, of a transaction %4d at most; slowest %s"
                .formatted(
                        path,
                        paint("first-contentful-paint"),
                        shownBy,
                        requests,
                        counted.keys(),
                        counted.mostOfATransaction(),
                        slowestRequest()));
        assertThat(requests).isLessThan(20);
        assertThat(counted.mostOfATransaction()).isPositive().isLessThanOrEqualTo(KEYS_MAX);
        assertThat(counted.keys()).isLessThanOrEqualTo(requests * KEYS_MAX);
    }

    @Test
    void filtersGoOnInPages() {
        browser.open("/ui/jobs?type=many&state=pending");
        browser.sees("job-0002000", "job-0002049", "Next page");
        browser.click("Next page");
        browser.sees("job-0002050", "job-0002099");
        browser.open("/ui/jobs?type=many&tag=hundredth");
        browser.sees("job-0004900", "Next page");
        browser.click("Next page");
        browser.sees("job-0005000", "job-0009900");
        browser.open("/ui/jobs?type=many&status=cancelled");
        browser.sees("not wanted", "Next page");
    }
}
