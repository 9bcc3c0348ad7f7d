package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import java.time.Duration;

/** An import that fails halfway, and whose next attempt goes on from where the first had got to. */
public final class GoOnFromCheckpoint {
    private static final JobType<Integer, Integer> IMPORT = JobType.of("import", Integer.class, Integer.class)
            .retry(RetryPolicy.standard().backoff(Duration.ZERO, 1, Duration.ZERO));

    private GoOnFromCheckpoint() {}

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Playground playground = new Playground()) {
            Database database = playground.database();
            CouchJobs jobs = playground.jobs();
            String id =
                    jobs.add(database, NewJob.of(IMPORT, 4).priority(5)).join().jobId();

            Worker worker =
                    jobs.worker().handle(IMPORT, GoOnFromCheckpoint::read).start();
            int parts = jobs.resultAsync(IMPORT, id, Duration.ofSeconds(30)).join();
            worker.close();

            System.out.println("The last attempt read " + parts + " of 4 parts.");
            jobs.details()
                    .entries(database, IMPORT, id, 0, 100)
                    .join()
                    .forEach(entry -> System.out.println(
                            entry.number() + ", by claim " + entry.claim() + ": " + entry.kind() + " " + entry.json()));
        }
    }

    private static Integer read(JobContext<Integer> job) {
        int from = job.lastCheckpoint(Integer.class).orElse(0);
        for (int part = from; part < job.data(); part++) {
            if (part == 2 && job.attempt() == 1) {
                job.log("the line is dead");
                throw new IllegalStateException("cannot read part " + part);
            }
            job.checkpoint(part + 1);
            job.progress(part + 1, job.data(), "reading");
        }
        return job.data() - from;
    }
}
