package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobHaltedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** One run: enqueues the files, lets processors index them, of which one has an accident, and checks the result. */
final class IndexRun {
    private static final Duration REDRAW_EVERY = Duration.ofMillis(100);

    private final Path root;
    private final List<TextFile> files;
    private final Settings settings;
    private final ProgressBar bar;
    private final Accident accident;
    private final RunReport report;

    /**
     * How a run is made.
     *
     * @param processors how many there are; one of them does not live to the end
     * @param jobsAtOnce how many each of them has in its hands
     * @param pace how much longer than necessary a job takes, so that there is something to watch
     */
    record Settings(int processors, int jobsAtOnce, Duration pace) {
        private static final Duration PACE_MAX = Duration.ofMillis(150);
        private static final Duration PACE_ALL_TOGETHER = Duration.ofSeconds(3);

        /** {@return four processors, and a pace that adds a few seconds to the run at most} */
        static Settings toWatch(int files) {
            int processors = 4;
            int jobsAtOnce = 3;
            Duration pace = PACE_ALL_TOGETHER
                    .multipliedBy(processors)
                    .multipliedBy(jobsAtOnce)
                    .dividedBy(files);
            return new Settings(processors, jobsAtOnce, pace.compareTo(PACE_MAX) < 0 ? pace : PACE_MAX);
        }
    }

    IndexRun(Path root, List<TextFile> files, Settings settings, ProgressBar bar) {
        this.root = root;
        this.files = files;
        this.settings = settings;
        this.bar = bar;
        this.accident = new Accident(files.size());
        this.report = new RunReport(bar, accident, FileJob.TYPE.activityTimeout());
    }

    IndexResult run(Playground playground) {
        Database database = playground.database();
        CouchJobs jobs = playground.jobs();
        IndexStore store = new IndexStore(playground.data("index"));
        IndexQueue.addAll(database, jobs, store, files);
        JobWatch watch = JobWatch.over(database, jobs, files, report);
        process(playground, store, watch);
        return check(database, store);
    }

    private void process(Playground playground, IndexStore store, JobWatch watch) {
        List<IndexProcessor> processors = IntStream.rangeClosed(1, settings.processors())
                .mapToObj(number -> new IndexProcessor(
                        number,
                        root,
                        playground.database(),
                        playground.newJobs(),
                        playground.jobs(),
                        store,
                        settings.pace(),
                        report))
                .toList();
        try {
            processors.forEach(processor -> processor.start(settings.jobsAtOnce()));
            showUntilFinished(watch);
            accident.victim().ifPresent(this::wakeUp);
        } finally {
            processors.forEach(IndexProcessor::close);
        }
    }

    private void showUntilFinished(JobWatch watch) {
        CompletableFuture<Object> end = CompletableFuture.anyOf(watch.allFinished(), report.failure());
        bar.show(watch.counts());
        while (!Blocking.isDoneWithin(REDRAW_EVERY, end)) {
            bar.show(watch.counts());
        }
        bar.show(watch.counts());
        bar.end();
        Blocking.get(end);
    }

    private void wakeUp(IndexProcessor victim) {
        victim.wakeUp();
        List<JobHaltedException> refused = report.refusedToVictim();
        bar.say("processor " + victim.number() + " wakes up with its "
                + Totals.counted(refused.size(), "job") + ": "
                + refused.get(0).getClass().getSimpleName() + ", nothing is written");
    }

    private IndexResult check(Database database, IndexStore store) {
        PlainCount plain = PlainCount.of(root, files, report.skipped());
        Totals index = store.totals(database, plain.leftOut().keySet());
        return new IndexResult(
                index,
                plain.totals(),
                files.size(),
                store.finishes(database),
                settings.processors(),
                accident.victim().map(IndexProcessor::number).orElse(0),
                report.refusedToVictim().size(),
                report.returns(),
                plain.leftOut());
    }
}
