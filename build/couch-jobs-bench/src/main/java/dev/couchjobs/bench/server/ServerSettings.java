package dev.couchjobs.bench.server;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What is measured.
 *
 * @param jobs how many jobs are claimed and finished for each figure
 * @param connections how many connections claim at once
 * @param feeds how many clients follow a feed
 * @param changes how many changes each of them gets
 * @param waits how many calls for claims wait
 * @param directory where the databases on disk are made
 * @param parts what is measured
 */
record ServerSettings(
        int jobs, List<Integer> connections, int feeds, int changes, int waits, Path directory, Set<Part> parts) {
    private static final String USAGE = """
            --jobs 4000           for each figure
            --connections 1,16,64
            --feeds 1000          clients of a feed
            --changes 200         that each of them gets
            --waits 10000         calls that wait
            --directory .         where databases on disk are made
            --only claims,feeds,waits
            """;

    /** What can be measured alone. */
    enum Part {
        CLAIMS,
        FEEDS,
        WAITS
    }

    private static final ServerSettings STANDARD =
            new ServerSettings(4_000, List.of(1, 16, 64), 1_000, 200, 10_000, Path.of("."), EnumSet.allOf(Part.class));

    static ServerSettings parse(String... words) {
        return CommandLine.parse(STANDARD, ServerSettings::with, USAGE, words);
    }

    private static ServerSettings with(ServerSettings old, String option, CommandLine line) {
        return switch (option) {
            case "--jobs" -> old.withJobs(CommandLine.positive(line.value()));
            case "--connections" ->
                new ServerSettings(
                        old.jobs,
                        line.values().map(CommandLine::positive).toList(),
                        old.feeds,
                        old.changes,
                        old.waits,
                        old.directory,
                        old.parts);
            case "--feeds" ->
                new ServerSettings(
                        old.jobs,
                        old.connections,
                        CommandLine.positive(line.value()),
                        old.changes,
                        old.waits,
                        old.directory,
                        old.parts);
            case "--changes" ->
                new ServerSettings(
                        old.jobs,
                        old.connections,
                        old.feeds,
                        CommandLine.positive(line.value()),
                        old.waits,
                        old.directory,
                        old.parts);
            case "--waits" ->
                new ServerSettings(
                        old.jobs,
                        old.connections,
                        old.feeds,
                        old.changes,
                        CommandLine.positive(line.value()),
                        old.directory,
                        old.parts);
            case "--directory" ->
                new ServerSettings(
                        old.jobs, old.connections, old.feeds, old.changes, old.waits, Path.of(line.value()), old.parts);
            case "--only" ->
                new ServerSettings(
                        old.jobs,
                        old.connections,
                        old.feeds,
                        old.changes,
                        old.waits,
                        old.directory,
                        line.values(Part.class));
            default -> throw new IllegalArgumentException(option);
        };
    }

    ServerSettings withJobs(int newJobs) {
        return new ServerSettings(newJobs, connections, feeds, changes, waits, directory, parts);
    }
}
