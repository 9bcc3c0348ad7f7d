package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.Directories;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Measures the jobs beside their peers on this machine's disk, and prints how many times the one is the other. */
public final class JobBenchmarks {
    private final JobSettings settings;
    private final @Nullable PostgresServer server;
    private final JobResults results = new JobResults();

    private JobBenchmarks(JobSettings settings, @Nullable PostgresServer server) {
        this.settings = settings;
        this.server = server;
    }

    /**
     * Runs them.
     *
     * @param words the options; an unknown one is answered with a list of them
     * @throws IOException if a file cannot be written or PostgreSQL does not start
     * @throws InterruptedException if somebody interrupts it
     */
    public static void main(String... words) throws IOException, InterruptedException {
        JobSettings settings;
        try {
            settings = JobSettings.parse(words);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return;
        }
        if (settings.systems().stream().noneMatch(SystemKind::isPeer)) {
            new JobBenchmarks(settings, null).run();
        } else if (PostgresServer.isInstalled(settings.postgres())) {
            try (PostgresServer server = PostgresServer.start(settings.postgres(), settings.directory())) {
                new JobBenchmarks(settings, server).run();
            }
        } else {
            System.out.println("PostgreSQL is not in " + settings.postgres()
                    + ": the peers are left out (Debian: apt install postgresql-15; elsewhere: --postgres PATH).");
            new JobBenchmarks(settings, null).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        System.out.printf(
                "%s, %d processors, Java %s, %d s each, %d bytes of payload%n",
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                settings.seconds(),
                JobSystem.PAYLOAD.length());
        for (SystemKind system : measured()) {
            System.out.printf("  %s: %s%n", system.label(), system.settings());
        }
        System.out.println("  " + database() + "\n");
        for (Scenario scenario : settings.scenarios()) {
            measure(scenario);
            System.out.println(results.table(scenario));
        }
        List<String> faults = results.faults();
        System.out.println(faults.isEmpty() ? "Every job was run once." : String.join("\n", faults));
        Path json = settings.json().toAbsolutePath();
        Files.createDirectories(Objects.requireNonNull(json.getParent()));
        Files.writeString(json, results.json(settings, database()));
        System.out.println("All figures are in " + json);
    }

    private List<SystemKind> measured() {
        return settings.systems().stream()
                .filter(system -> server != null || !system.isPeer())
                .toList();
    }

    private String database() {
        return server == null ? "no PostgreSQL" : "PostgreSQL " + server.version() + ": " + PostgresServer.settings();
    }

    /** What is compared is measured one after the other, so that little else changes in between. */
    private void measure(Scenario scenario) throws IOException, InterruptedException {
        int variants = scenario.variants(SystemKind.COUCH_JOBS, settings).size();
        for (int variant = 0; variant < variants; variant++) {
            for (SystemKind system : measured()) {
                if (!(scenario.isCounted() && system.isPeer())) {
                    measure(
                            scenario,
                            system,
                            scenario.variants(system, settings).get(variant));
                }
            }
        }
    }

    private void measure(Scenario scenario, SystemKind kind, Variant variant) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(settings.directory(), "bench-jobs-");
        try {
            if (kind.isPeer()) {
                measurePeer(scenario, kind, variant);
            } else {
                measureOurs(scenario, variant, directory);
            }
        } finally {
            Directories.delete(directory);
        }
    }

    private void measureOurs(Scenario scenario, Variant variant, Path directory) throws InterruptedException {
        Database database = EmbeddedDatabase.open(directory.resolve("database"));
        CountedDatabase counted = new CountedDatabase(database);
        Database way = scenario.isCounted() ? counted.asDatabase() : database;
        try (JobSystem system = new CouchJobsSystem(database, way)) {
            Subject subject = new Subject(system, window(), Gauges.of(counted::traffic));
            add(scenario, SystemKind.COUCH_JOBS, variant.measure(subject));
        }
    }

    private void measurePeer(Scenario scenario, SystemKind kind, Variant variant)
            throws IOException, InterruptedException {
        PostgresServer postgres = Objects.requireNonNull(server);
        try (JobSystem system = peer(kind, postgres)) {
            add(scenario, kind, variant.measure(new Subject(system, window(), Gauges.of(postgres.process()))));
        }
    }

    private Duration window() {
        return Duration.ofSeconds(settings.seconds());
    }

    private void add(Scenario scenario, SystemKind kind, List<Figure> figures) {
        figures.forEach(figure -> results.add(scenario, kind, figure));
    }

    private static JobSystem peer(SystemKind kind, PostgresServer server) {
        return kind == SystemKind.JOBRUNR ? new JobRunrSystem(server) : new DbSchedulerSystem(server);
    }
}
