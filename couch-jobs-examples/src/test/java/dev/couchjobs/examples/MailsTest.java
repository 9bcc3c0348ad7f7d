package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Worker;
import dev.couchjobs.examples.Mails.Mail;
import dev.couchjobs.examples.Mails.Newsletter;
import dev.couchjobs.examples.Mails.Receipt;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The Java of the page on annotations, run; and that it is the page's. */
class MailsTest {
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final byte[] userKey = {1};
    private final byte[] user = {2};

    private String post(String reader) {
        sent.add(reader);
        return "no. " + sent.size();
    }

    @Test
    void stubsAddJobsAndMethodsRunThem() {
        Database database = Databases.inMemory();
        CouchJobs jobs = CouchJobs.on(database);
        Newsletter letter = new Newsletter(List.of("bob", "cid"));
        Instant tonight = Instant.now().minusSeconds(1);

        Worker worker = MailsJobs.handle(jobs.worker(), new Mails(this::post)).start();
        MailsJobs mails = new MailsJobs(jobs);

        database.run(tx -> {
            tx.set(userKey, user);
            return mails.send(tx, "welcome-ann", new Mail("ann")).join();
        });
        Receipt receipt = jobs.result(MailsJobs.SEND, "welcome-ann", Duration.ofSeconds(10));

        mails.sendAll(database, letter, job -> job.id("news-1").at(tonight).priority(-1))
                .join();
        jobs.result(MailsJobs.SEND_ALL, "news-1", Duration.ofSeconds(10));

        worker.close();
        jobs.close();
        database.close();
        assertThat(receipt).isEqualTo(new Receipt("no. 1"));
        assertThat(sent).containsExactly("ann", "bob", "cid");
    }

    @Test
    void theCodeOnThePageIsTheCodeAbove() throws IOException {
        CodeOfPage.isIn("docs/annotations.md", MailsTest.class, 15, Mails.class);
    }
}
