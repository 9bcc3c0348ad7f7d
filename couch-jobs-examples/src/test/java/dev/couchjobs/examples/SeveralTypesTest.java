package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs of one kind, spread over several types; and that it is what {@code docs/costs.md} shows. */
class SeveralTypesTest {
    static final List<JobType<String, Void>> MAILS = IntStream.range(0, 8)
            .mapToObj(i -> JobType.of("mail-" + i, String.class))
            .toList();

    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    static JobType<String, Void> mails(String jobId) {
        return MAILS.get(Math.floorMod(jobId.hashCode(), MAILS.size()));
    }

    private void send(String mail) {
        sent.add(mail);
    }

    @Test
    void jobsOfAllTypesAreRunByOneWorkerAndFoundByTheirIds() {
        Database database = Databases.inMemory();
        CouchJobs jobs = CouchJobs.on(database);

        WorkerBuilder builder = jobs.worker().concurrency(16);
        MAILS.forEach(type -> builder.process(type, job -> send(job.data())));
        Worker worker = builder.start();

        jobs.add(database, mails("m-42"), "m-42", "to ann").join();
        jobs.result(mails("m-42"), "m-42", Duration.ofSeconds(10));

        List<String> others = IntStream.range(0, 30).mapToObj(i -> "m-" + i).toList();
        others.forEach(id -> jobs.add(database, mails(id), id, id).join());
        others.forEach(id -> jobs.result(mails(id), id, Duration.ofSeconds(10)));
        assertThat(sent).hasSize(31).contains("to ann").containsAll(others);
        assertThat(others.stream().map(SeveralTypesTest::mails).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(MAILS);
        worker.close();
        jobs.close();
        database.close();
    }

    @Test
    void theCodeInThePageIsTheCodeAbove() throws IOException {
        CodeOfPage.isIn("docs/costs.md", SeveralTypesTest.class, 10);
    }
}
