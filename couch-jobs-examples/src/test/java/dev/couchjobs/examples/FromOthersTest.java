package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Java of the pages for users of other libraries, run; and that it is those pages'. */
@SuppressWarnings("LocalVariableName") // as on the pages, where there is no class around it
class FromOthersTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final byte[] userKey = {1};
    private final byte[] user = {2};
    private final byte[] orderKey = {3};
    private final byte[] order = {4};
    private final byte[] billKey = {5};
    private final Instant tonight = Instant.now().minusSeconds(1);
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();

    private Database database;
    private CouchJobs jobs;

    record Report(String month) {}

    @BeforeEach
    void open() {
        database = Databases.inMemory();
        jobs = CouchJobs.on(database);
    }

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    @Test
    void fromSidekiq() throws IOException {
        JobType<String, Void> MAIL = JobType.of("mail", String.class);

        database.run(tx -> {
            tx.set(userKey, user);
            return jobs.add(tx, MAIL, "welcome-ann", "ann").join();
        });
        Worker worker = jobs.worker()
                .process(MAIL, job -> send(job.data()))
                .concurrency(10)
                .start();

        jobs.result(MAIL, "welcome-ann", LONG);
        worker.close();
        assertThat(sent).containsExactly("ann");
        assertThat(stored(userKey)).isEqualTo(user);
        CodeOfPage.isIn("docs/from-sidekiq.md", FromOthersTest.class, 6);
    }

    @Test
    void fromJobRunr() throws IOException {
        JobType<Report, String> REPORT = JobType.of("report", Report.class, String.class);

        jobs.add(database, REPORT, "report-may", new Report("may")).join();
        Worker worker = jobs.worker().handle(REPORT, job -> write(job.data())).start();
        String file = jobs.result(REPORT, "report-may", Duration.ofMinutes(5));

        worker.close();
        assertThat(file).isEqualTo("may.pdf");
        CodeOfPage.isIn("docs/from-jobrunr.md", FromOthersTest.class, 5);
    }

    @Test
    void fromDbScheduler() throws IOException {
        JobType<Long, Void> INVOICE = JobType.of("invoice", Long.class);

        database.run(tx -> {
            tx.set(orderKey, order);
            return jobs.add(tx, NewJob.of(INVOICE, 4711L).id("4711").at(tonight))
                    .join();
        });
        Worker worker = jobs.worker()
                .process(INVOICE, job -> job.finish(tx -> bill(tx, job.data())))
                .start();

        jobs.result(INVOICE, "4711", LONG);
        worker.close();
        assertThat(stored(orderKey)).isEqualTo(order);
        assertThat(stored(billKey)).isEqualTo(order);
        CodeOfPage.isIn("docs/from-db-scheduler.md", FromOthersTest.class, 6);
    }

    private void send(String name) {
        sent.add(name);
    }

    private static String write(Report report) {
        return report.month() + ".pdf";
    }

    private Void bill(Transaction tx, long number) {
        assertThat(number).isEqualTo(4711);
        tx.set(billKey, tx.get(orderKey).join());
        return null;
    }

    private byte[] stored(byte[] key) {
        return database.read(tx -> tx.get(key).join());
    }
}
