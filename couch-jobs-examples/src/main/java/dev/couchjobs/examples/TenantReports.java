package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.Batch;
import dev.couchjobs.BatchInfo;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobSelection;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A service that makes reports for its tenants: they take turns and none takes more than its share, the versions of an
 * invoice are made in order, a summary follows the reports of twelve months, one report is made every night, a deploy
 * pauses the work, and a tenant leaves.
 */
public final class TenantReports {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static final ZoneId VIENNA = ZoneId.of("Europe/Vienna");

    record Report(String tenant, String subject) {}

    private static final JobType<Report, Void> REPORT = JobType.of("report", Report.class);

    private final Database database;
    private final CouchJobs jobs;
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> mostRunning = new ConcurrentHashMap<>();
    private final Queue<String> invoices = new ConcurrentLinkedQueue<>();

    private TenantReports(Database database, CouchJobs jobs) {
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
            new TenantReports(playground.database(), playground.jobs()).run();
        }
    }

    private void run() {
        jobs.statuses().index(REPORT).join(); // for the overview
        jobs.limits().set(database, REPORT, 2).join(); // of each tenant two at once
        jobs.limits().setTotal(database, REPORT, 5).join(); // of all tenants five
        jobs.limits()
                .setRate(database, REPORT, Rate.evenly(500, Duration.ofSeconds(1), 50))
                .join();
        Worker worker = worker();
        makeReports();
        makeInvoices();
        makeTheYear();
        askTwice();
        makeTheNightlyReport();
        Worker deployed = deploy(worker);
        jobs.result(REPORT, "small-month", SOON);
        System.out.println("deployed: the report is " + stateOf("small-month"));
        deployed.close();
        sayGoodbye();
    }

    private Worker worker() {
        return jobs.worker()
                .name("reports")
                .process(REPORT, this::make)
                .concurrency(10)
                .start();
    }

    private void make(JobContext<Report> job) {
        String tenant = job.data().tenant();
        int now = running.computeIfAbsent(tenant, name -> new AtomicInteger()).incrementAndGet();
        mostRunning.merge(tenant, now, Math::max);
        if (job.data().subject().startsWith("invoice")) {
            invoices.add(job.data().subject());
        }
        job.progress(1, 1, "written");
        running.get(tenant).decrementAndGet();
    }

    private static NewJob<Report> report(String tenant, String subject) {
        return NewJob.of(REPORT, new Report(tenant, subject)).limitKey(tenant).turnKey(tenant);
    }

    private void makeReports() {
        List<NewJob<Report>> reports = IntStream.range(0, 20)
                .mapToObj(month -> report("large", "month " + month).id("large-" + month))
                .toList();
        jobs.addAll(database, reports).join();
        jobs.add(database, report("small", "year").id("small-year")).join();
        jobs.result(REPORT, "small-year", SOON);
        reports.forEach(each -> jobs.result(REPORT, each.id().orElseThrow(), SOON));
        System.out.println("large: 20 reports, at most two at once: " + (mostRunning.getOrDefault("large", 0) <= 2));
    }

    /** The final version must not overtake the draft, also when that is tried again. */
    private void makeInvoices() {
        for (String version : List.of("draft", "correction", "final")) {
            jobs.add(
                            database,
                            report("small", "invoice 17, " + version)
                                    .id("invoice-" + version)
                                    .sequence("invoice-17"))
                    .join();
        }
        jobs.result(REPORT, "invoice-final", SOON);
        System.out.println("in order: " + String.join("; ", invoices));
    }

    /** The summary needs the reports of all months. */
    private void makeTheYear() {
        jobs.batches()
                .open(
                        database,
                        Batch.of("year").closing(report("small", "summary").id("summary")))
                .join();
        List<NewJob<Report>> months = IntStream.rangeClosed(1, 12)
                .mapToObj(month -> report("small", "month " + month).batch("year"))
                .toList();
        jobs.addAll(database, months).join();
        jobs.batches().seal(database, "year").join();
        jobs.result(REPORT, "summary", SOON);
        BatchInfo year = jobs.batches().get(database, "year").join().orElseThrow();
        System.out.println("year: " + year.succeeded() + " reports, and then the summary");
    }

    /** A user clicks twice: the second click finds the job of the first, which has not begun. */
    private void askTwice() {
        jobs.types().pause(database, REPORT, "so that the job has not begun").join();
        Unique oneAtATime = Unique.by("large, week");
        String first = jobs.add(database, report("large", "week").unique(oneAtATime))
                .join()
                .jobId();
        String second = jobs.add(database, report("large", "week").unique(oneAtATime))
                .join()
                .jobId();
        jobs.types().resume(database, REPORT).join();
        jobs.result(REPORT, first, SOON);
        System.out.println("asked twice, made once: " + first.equals(second));
    }

    private void makeTheNightlyReport() {
        NewJob<Report> ofTheDay = NewJob.of(REPORT, new Report("all", "day"));
        Schedule nightly = Schedule.cron("nightly", "0 5 * * *", VIENNA, ofTheDay);
        jobs.schedules().put(database, nightly).join();
        String jobId =
                jobs.schedules().runNow(database, "nightly").join().currentJob().orElseThrow();
        jobs.result(REPORT, jobId, SOON);
        Optional<Instant> next =
                jobs.schedules().get(database, "nightly").join().orElseThrow().firingTime();
        System.out.println("nightly: made now, and again at "
                + next.orElseThrow().atZone(VIENNA).toLocalTime());
    }

    /** What has begun ends; what comes meanwhile waits for the new version of the worker. */
    private Worker deploy(Worker old) {
        jobs.types().pause(database, REPORT, "version 2").join();
        jobs.add(database, report("small", "month").id("small-month")).join();
        jobs.workers().drain(database, "reports").join(); // all workers of the old version
        old.ended().join();
        Worker deployed = worker();
        System.out.println("paused for " + reasonOfPause() + ": " + overview());
        jobs.types().resume(database, REPORT).join();
        return deployed;
    }

    private String reasonOfPause() {
        return jobs.types().getPause(database, REPORT).join().orElseThrow().reason();
    }

    /** How many reports are to come, or have come to a bad end. */
    private String overview() {
        return jobs.statuses().counts(database, REPORT).join().entrySet().stream()
                .filter(count -> count.getValue() > 0 && count.getKey() != JobStatus.SUCCEEDED)
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
    }

    private JobState stateOf(String jobId) {
        return jobs.getJobState(database, REPORT, jobId).join();
    }

    /** The tenant has asked for reports in advance, and will not read them. */
    private void sayGoodbye() {
        for (int day = 1; day <= 3; day++) {
            jobs.add(database, report("large", "day " + day).at(Instant.now().plus(Duration.ofDays(day))))
                    .join();
        }
        JobSelection<Report, Void> ofTenant = jobs.control()
                .select(
                        REPORT,
                        job -> job.state() == JobState.PENDING && job.limitKey().equals(Optional.of("large")));
        System.out.println("large leaves: " + ofTenant.count().join().applied() + " reports to come, "
                + ofTenant.cancel("the tenant has left").join().applied() + " cancelled");
        JobLine last = jobs.statuses()
                .list(database, REPORT, JobStatus.CANCELLED, PageRequest.of(1).newestFirst())
                .join()
                .items()
                .get(0);
        System.out.println("all: " + overview() + ", because " + last.error().orElseThrow());
    }
}
