package dev.couchjobs.bench.jobs;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the command line says.
 *
 * @param directory on the disk to measure
 * @param json where the results are written
 * @param postgres where PostgreSQL's programs are
 * @param seconds how long each figure is measured, after three times as long to warm up
 * @param depths the numbers of pending jobs that are compared
 * @param scenarios what is measured
 * @param systems on what
 */
record JobSettings(
        Path directory,
        Path json,
        Path postgres,
        int seconds,
        List<Integer> depths,
        Set<Scenario> scenarios,
        Set<SystemKind> systems) {
    static final String USAGE = """
            --quick               a second each, to see that it works
            --directory PATH      on the disk to measure (the temporary directory)
            --json PATH           where the results go (target/bench-jobs.json)
            --postgres PATH       where PostgreSQL's initdb and pg_ctl are (/usr/lib/postgresql/15/bin)
            --seconds N           how long each figure is measured, after three times as long to warm up (5)
            --depths N,N,...      numbers of pending jobs (2000,1000000)
            --scenarios NAME,...  only these of %s
            --systems NAME,...    only these of %s""".formatted(names(Scenario.values()), names(SystemKind.values()));

    static JobSettings parse(String... words) {
        Deque<String> rest = new ArrayDeque<>(List.of(words));
        JobSettings settings = new JobSettings(
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("target", "bench-jobs.json"),
                Path.of("/usr/lib/postgresql/15/bin"),
                5,
                List.of(2_000, 1_000_000),
                EnumSet.allOf(Scenario.class),
                EnumSet.allOf(SystemKind.class));
        while (!rest.isEmpty()) {
            String word = rest.pop();
            try {
                settings = word.equals("--quick")
                        ? settings.lasting(1).with("--depths", "2000,20000")
                        : settings.with(word, rest.pop());
            } catch (NoSuchElementException | IllegalArgumentException e) {
                throw new IllegalArgumentException("Do not understand " + word + "; there are\n" + USAGE, e);
            }
        }
        return settings;
    }

    private JobSettings with(String word, String value) {
        return switch (word) {
            case "--directory" -> new JobSettings(Path.of(value), json, postgres, seconds, depths, scenarios, systems);
            case "--json" -> new JobSettings(directory, Path.of(value), postgres, seconds, depths, scenarios, systems);
            case "--postgres" -> new JobSettings(directory, json, Path.of(value), seconds, depths, scenarios, systems);
            case "--seconds" -> lasting(Integer.parseInt(value));
            case "--depths" ->
                new JobSettings(
                        directory,
                        json,
                        postgres,
                        seconds,
                        split(value).map(Integer::valueOf).toList(),
                        scenarios,
                        systems);
            case "--scenarios" ->
                new JobSettings(directory, json, postgres, seconds, depths, named(Scenario.class, value), systems);
            case "--systems" ->
                new JobSettings(directory, json, postgres, seconds, depths, scenarios, named(SystemKind.class, value));
            default -> throw new IllegalArgumentException(word);
        };
    }

    private JobSettings lasting(int seconds) {
        return new JobSettings(directory, json, postgres, seconds, depths, scenarios, systems);
    }

    private static <E extends Enum<E>> Set<E> named(Class<E> type, String value) {
        Set<E> named = EnumSet.noneOf(type);
        split(value)
                .map(name -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT).replace('-', '_')))
                .forEach(named::add);
        return named;
    }

    private static Stream<String> split(String list) {
        return Stream.of(list.split(",", -1)).map(String::strip).filter(part -> !part.isEmpty());
    }

    private static String names(Enum<?>[] values) {
        return String.join(
                " ",
                Stream.of(values)
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .toList());
    }
}
