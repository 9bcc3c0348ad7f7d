package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A small pipeline: chapters are converted one by one, then bound into a book, and then the book is announced. If a
 * chapter fails for good, the book waits: it is bound when that chapter was sent again and succeeds, and not before.
 */
public final class Pipeline {
    private static final JobType<String, ?> CONVERT = JobType.of("convert", String.class);
    private static final JobType<String, ?> BIND = JobType.of("bind", String.class);
    private static final JobType<String, ?> ANNOUNCE = JobType.of("announce", String.class);
    private static final List<JobType<String, ?>> STAGES = List.of(ANNOUNCE, BIND, CONVERT);

    private final Database database;
    private final CouchJobs jobs;

    private Pipeline(Database database, CouchJobs jobs) {
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
            Pipeline pipeline = new Pipeline(database, jobs);
            pipeline.add("faust", 3);
            pipeline.run();
        }
    }

    /** The whole graph in one transaction: no reader ever sees a book without its chapters. */
    private void add(String book, int chapters) {
        List<NewJob<String>> graph = new ArrayList<>();
        List<Dependency> converted = new ArrayList<>();
        for (int chapter = 1; chapter <= chapters; chapter++) {
            String id = book + "-" + chapter;
            graph.add(NewJob.of(CONVERT, "chapter " + chapter).id(id));
            converted.add(Dependency.on(CONVERT, id));
        }
        graph.add(NewJob.of(BIND, book).id(book).after(converted));
        graph.add(NewJob.of(ANNOUNCE, book).id(book).after(BIND, book));
        jobs.addAll(database, graph).join();
    }

    /** Takes whatever may run, the last stage first: what waits is not among it. */
    private void run() {
        boolean more = true;
        while (more) {
            more = STAGES.stream().anyMatch(this::runOne);
        }
    }

    private boolean runOne(JobType<String, ?> type) {
        Optional<Job<String>> job =
                jobs.processor().accept(type, AcceptOptions.nonBlocking()).join();
        job.ifPresent(claim -> {
            System.out.println(type + " " + claim.data());
            jobs.processor().finish(database, claim).join();
        });
        return job.isPresent();
    }
}
