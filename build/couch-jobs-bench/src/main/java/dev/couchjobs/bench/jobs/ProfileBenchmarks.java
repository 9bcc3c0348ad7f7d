package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.Table;
import dev.couchjobs.bench.profile.Profile;
import dev.couchjobs.bench.profile.ProfileRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/** Samples what takes time and what allocates while couch-jobs adds and runs jobs. */
public final class ProfileBenchmarks {
    private static final int TOP = 25;
    private static final double PERCENT = 100;

    private ProfileBenchmarks() {}

    /**
     * Samples, prints the tables, and writes the recording and flame graphs.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws IOException, InterruptedException {
        System.out.println(run(ProfileSettings.parse(words)));
    }

    /** Profiles according to the settings, writes the results, and returns them as text. */
    static String run(ProfileSettings settings) throws IOException, InterruptedException {
        Path output = settings.output().toAbsolutePath();
        Files.createDirectories(output);
        Path file = output.resolve("profile.jfr");
        ProfileRun run;
        try (BenchmarkEnvironment environment = BenchmarkEnvironment.start(
                settings.directory(), settings.directory(), EnumSet.noneOf(SystemKind.class))) {
            var unused = new ProfileRun(settings, environment).run();
            try (ProfileRecording recording = ProfileRecording.start()) {
                run = new ProfileRun(settings, environment).run();
                recording.write(file);
            }
        }
        Profile profile = Profile.read(file, run.intervals());
        profile.writeFlameGraphs(output.resolve("cpu.html"), output.resolve("allocations.html"));
        return head(settings, run, profile)
                + samples("top frames", "self", profile.self(TOP), profile.samples())
                + '\n'
                + samples(
                        "frames of ours and of FoundationDB", "with callees", profile.inclusive(TOP), profile.samples())
                + '\n'
                + allocations(profile, run.jobs())
                + "\nRecording and flame graphs are in " + output;
    }

    private static String head(ProfileSettings settings, ProfileRun run, Profile profile) {
        return String.format(
                Locale.ROOT,
                "couch-jobs %s, %s, workers: %d; %,d jobs in %.1f s, %.1f µs of CPU time and %,.0f bytes allocated"
                        + " a job, %,d samples%n%n",
                settings.engine().label(),
                settings.phase().name().toLowerCase(Locale.ROOT),
                settings.workers(),
                run.jobs(),
                run.time().toMillis() / 1_000.0,
                CpuMeter.microsPerJob(run.used().cpuTime(), run.jobs()),
                run.used().allocated() / (double) run.jobs(),
                profile.samples());
    }

    private static Table samples(String title, String column, List<Profile.Line> lines, long all) {
        Table table = new Table(title, column);
        lines.forEach(
                line -> table.add(line.name(), String.format(Locale.ROOT, "%.1f %%", PERCENT * line.weight() / all)));
        return table;
    }

    private static Table allocations(Profile profile, long jobs) {
        Table table = new Table("top allocations", "bytes a job");
        profile.allocations(TOP)
                .forEach(line ->
                        table.add(line.name(), String.format(Locale.ROOT, "%,.0f", line.weight() / (double) jobs)));
        return table;
    }
}
