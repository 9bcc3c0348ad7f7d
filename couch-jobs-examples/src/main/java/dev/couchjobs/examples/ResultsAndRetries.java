package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Job;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/** Counts the words of letters: one is counted at the second attempt, one fails until it is mended. */
public final class ResultsAndRetries {
    private static final JobType<String, Integer> COUNT = JobType.of("count words", String.class, Integer.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO))
            .doNotRetryOn(IllegalArgumentException.class);

    private final Database database;
    private final CouchJobs jobs;
    private boolean postIsLate = true;
    private boolean inkIsDry;

    private ResultsAndRetries(Database database, CouchJobs jobs) {
        this.database = database;
        this.jobs = jobs;
    }

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Playground playground = new Playground()) {
            Database database = playground.database();
            CouchJobs jobs = playground.jobs();
            new ResultsAndRetries(database, jobs).run();
        }
    }

    private void run() {
        jobs.add(database, COUNT, "from Ada", "all is well here").join();
        process();
        System.out.println("from Ada: " + jobs.result(COUNT, "from Ada", Duration.ofSeconds(10)) + " words after "
                + jobs.details().attempts(database, COUNT, "from Ada").join().size() + " attempts");

        jobs.add(database, COUNT, "from Bob", "wet ink").join();
        process();
        try {
            jobs.result(COUNT, "from Bob", Duration.ofSeconds(10));
        } catch (JobFailedException e) {
            System.out.println("from Bob: " + firstLine(e.error()));
        }
        for (DeadLetter letter : jobs.deadLetters()
                .list(database, COUNT, PageRequest.of(10))
                .join()
                .items()) {
            System.out.println("dead letter: " + letter.jobId() + ", " + letter.failures() + " failure");
        }

        inkIsDry = true;
        System.out.println("sent again: " + jobs.deadLetters().retryAll(COUNT).join());
        process();
        System.out.println("from Bob: " + jobs.result(COUNT, "from Bob", Duration.ofSeconds(10)) + " words");
    }

    /** Runs what is there to run, as a worker would. */
    private void process() {
        for (var job = next(); job.isPresent(); job = next()) {
            try {
                int words = count(job.get().data());
                jobs.processor()
                        .finishWithResult(database, COUNT, job.get(), words)
                        .join();
            } catch (IllegalArgumentException | IllegalStateException e) {
                jobs.processor().fail(database, job.get(), e).join();
            }
        }
    }

    private Optional<Job<String>> next() {
        return jobs.processor().accept(COUNT, AcceptOptions.nonBlocking()).join();
    }

    private int count(String text) {
        if (postIsLate) {
            postIsLate = false;
            throw new IllegalStateException("the post is late");
        }
        if (text.contains("wet") && !inkIsDry) {
            throw new IllegalArgumentException("this cannot be read");
        }
        return text.split(" ").length;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
