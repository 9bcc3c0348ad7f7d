package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.report.Machine;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs jobs at 70 % of the capacity while processes are killed, clocks moved and disks full. */
public final class SoakBenchmarks {
    private static final double SHARE = 0.7;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MILLIS_APART = 100;
    private static final double NANOS = 1e9;

    private final SoakSettings settings;
    private final SoakPlace place;
    private final SoakFleet fleet;
    private final SoakLoad load;

    private SoakBenchmarks(SoakSettings settings, SoakPlace place, SoakFleet fleet, SoakLoad load) {
        this.settings = settings;
        this.place = place;
        this.fleet = fleet;
        this.load = load;
    }

    /**
     * Runs a soak, and prints what came of it.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a process does not start, or a file cannot be written
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if a killed process does not start again
     * @throws IllegalStateException if a job was lost or doubled, or memory, files, threads or rows have grown
     */
    public static void main(String... words) throws IOException, InterruptedException, ExecutionException {
        SoakSettings settings = SoakSettings.parse(words);
        SoakReport report = run(settings);
        System.out.println(report.markdown());
        System.out.println("Table, plot and figures are in " + settings.output.toAbsolutePath());
        if (!report.faults().isEmpty()) {
            throw new IllegalStateException(String.join("\n", report.faults()));
        }
        System.out.println("No job was lost or doubled, and nothing has grown.");
    }

    /** Runs a soak, and writes what came of it. */
    static SoakReport run(SoakSettings settings) throws IOException, InterruptedException, ExecutionException {
        try (SoakPlace place = SoakPlace.open(settings);
                SoakFleet fleet = SoakFleet.start(settings, place);
                SoakLoad load = new SoakLoad(fleet.ports())) {
            SoakReport report = new SoakBenchmarks(settings, place, fleet, load).run();
            report.write(settings.output);
            return report;
        }
    }

    private SoakReport run() throws IOException, InterruptedException, ExecutionException {
        double capacity = settings.rate > 0 ? 0 : capacity();
        double rate = settings.rate > 0 ? settings.rate : Math.min(settings.rateMax, Math.max(1, SHARE * capacity));
        System.err.printf("Capacity %.0f jobs/s, rate %.0f jobs/s, seed %d%n", capacity, rate, settings.seed);
        SoakSampler sampler = new SoakSampler(place, fleet, load);
        var unused = fleet.takeWaits();
        load.hold(rate);
        FaultRun faults = new FaultRun(place, fleet, settings.seconds, settings.seed);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Void> ended = thread.submit(faults);
            for (double at = settings.every; at <= settings.seconds; at += settings.every) {
                TimeUnit.NANOSECONDS.sleep((long) (Math.max(0, at - faults.elapsed()) * NANOS));
                sampler.sample(faults.elapsed() / TimeUnit.MINUTES.toSeconds(1));
            }
            ended.get();
        } finally {
            thread.shutdownNow();
        }
        load.stop();
        SoakReport.Totals totals = drain(capacity, rate, sampler.endedByThemselves());
        return new SoakReport(
                describe(), settings.minutes(), sampler.samples(), faults.events(), totals, fleet.kinds());
    }

    /** Adds as many jobs as are run, at first to warm up. */
    private double capacity() throws InterruptedException {
        saturate(settings.warmUpJobs);
        long before = fleet.check().frontier();
        long began = System.nanoTime();
        saturate(0);
        double perSecond = (fleet.check().frontier() - before) * NANOS / (System.nanoTime() - began);
        load.stop();
        awaitEnds();
        return perSecond;
    }

    /** Until the time is up and so many jobs have ended since the beginning. */
    private void saturate(long least) throws InterruptedException {
        long end = System.nanoTime() + (long) (settings.capacitySeconds * NANOS);
        while (System.nanoTime() < end || fleet.check().frontier() < least) {
            load.saturate(fleet.check().frontier());
            TimeUnit.MILLISECONDS.sleep(MILLIS_APART);
        }
    }

    /** Waits until the jobs that were added have ended, but not for ever. */
    private void awaitEnds() throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (fleet.check().frontier() < load.added() && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(MILLIS_APART);
        }
    }

    private SoakReport.Totals drain(double capacity, double rate, int endedByThemselves)
            throws IOException, InterruptedException {
        awaitEnds();
        long added = load.added();
        ServerReply.Missing missing =
                fleet.missing(added).orElseThrow(() -> new IOException("The server cannot tell what is missing"));
        EffectRows.Checked checked = fleet.check();
        return new SoakReport.Totals(
                capacity,
                rate,
                added,
                Math.max(0, missing.missing() - missing.unended()),
                Math.min(missing.missing(), missing.unended()),
                checked.doubled(),
                endedByThemselves);
    }

    private Map<String, String> describe() throws IOException {
        Map<String, String> described = new LinkedHashMap<>(Machine.describe(settings.directory));
        described.put("Database", place.describe());
        described.put(
                "Processes",
                fleet.servers().size() + " servers, " + fleet.workers().size() + " workers over HTTP");
        described.put("Length", String.format(Locale.ROOT, "%.1f minutes, seed %d", settings.minutes(), settings.seed));
        return described;
    }
}
