package dev.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the packages of main code use each other. */
class PackagesTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?(dev\\.couchjobs[a-z.]*)\\.[A-Z]", Pattern.MULTILINE);
    private static final Pattern PACKAGE = Pattern.compile("^package ([a-z.]+);", Pattern.MULTILINE);

    /** Internal packages and public ones may use each other: a public class is the face of internal ones. */
    @Test
    void internalPackagesDoNotUseEachOtherInACircle() throws IOException {
        Map<String, Set<String>> uses = uses();
        assertThat(uses).isNotEmpty();
        assertThat(circle(uses)).as("move a class, or hand in what it needs").isEmpty();
    }

    /** The table in docs/architecture.md has the packages in this order. */
    @Test
    void packagesOfTheLibraryImportFromThoseAboveThemOnly() throws IOException {
        String prefix = "dev.couchjobs.internal.";
        Map<String, Integer> order = new LinkedHashMap<>();
        Set<String> offences = new TreeSet<>();
        Map<String, Set<String>> uses = uses();
        Set<String> packages = packages().stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .collect(Collectors.toCollection(TreeSet::new));
        for (String word : documented()) {
            if (packages.contains(word)) {
                order.putIfAbsent(word, order.size());
            }
        }
        assertThat(order.keySet()).as("packages in docs/architecture.md").containsExactlyInAnyOrderElementsOf(packages);
        uses.forEach((user, used) -> used.stream()
                .filter(each -> user.startsWith(prefix) && each.startsWith(prefix))
                .filter(each -> at(order, each) > at(order, user))
                .forEach(each -> offences.add(user + " uses " + each)));
        assertThat(offences).as("move a class, or hand in what it needs").isEmpty();
    }

    private static int at(Map<String, Integer> order, String name) {
        return Objects.requireNonNull(order.get(name.substring("dev.couchjobs.internal.".length())), name);
    }

    private static List<String> documented() throws IOException {
        String page = Files.readString(PROJECT.resolve("docs/architecture.md"));
        int begin = page.indexOf("imports from those above it only:");
        String table = page.substring(begin, page.indexOf("| step |", begin));
        return Pattern.compile("`([a-z]+)`")
                .matcher(table)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void modulesUseEachOtherThroughPublicPackages() throws IOException {
        List<String> offences = new ArrayList<>();
        for (Path file : mainCode()) {
            String text = Files.readString(file);
            String module = moduleOf(packageOf(text));
            IMPORT.matcher(text)
                    .results()
                    .map(found -> found.group(1))
                    .filter(used ->
                            used.contains(".internal") && !moduleOf(used).equals(module))
                    .forEach(used -> offences.add(PROJECT.relativize(file) + ": " + used));
        }
        assertThat(offences).as("use a public package").isEmpty();
    }

    @Test
    void aCircleIsFound() {
        assertThat(circle(
                        new TreeMap<>(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("d"), "d", Set.of("b")))))
                .contains(List.of("b", "c", "d", "b"));
        assertThat(circle(Map.of("a", Set.of("b", "c"), "b", Set.of("c")))).isEmpty();
    }

    /** {@return the internal packages that each internal package imports from} */
    private static Map<String, Set<String>> uses() throws IOException {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (Path file : mainCode()) {
            String text = Files.readString(file);
            String user = packageOf(text);
            if (user.contains(".internal")) {
                IMPORT.matcher(text)
                        .results()
                        .map(found -> found.group(1))
                        .filter(used -> used.contains(".internal") && !used.equals(user))
                        .forEach(used -> uses.computeIfAbsent(user, none -> new TreeSet<>())
                                .add(used));
            }
        }
        return uses;
    }

    private static Set<String> packages() throws IOException {
        Set<String> packages = new TreeSet<>();
        for (Path file : mainCode()) {
            packages.add(packageOf(Files.readString(file)));
        }
        return packages;
    }

    private static String packageOf(String text) {
        return PACKAGE.matcher(text).results().findFirst().orElseThrow().group(1);
    }

    /** {@return what stands before {@code internal}, which is another name in each module} */
    private static String moduleOf(String name) {
        int at = name.indexOf(".internal");
        String face = at < 0 ? name : name.substring(0, at);
        return Stream.of("fdb.docker", "fdb", "bridge", "bench", "examples", "testing", "annotations", "spring")
                .filter(part -> (face + ".").startsWith("dev.couchjobs." + part + "."))
                .findFirst()
                .orElse("couch-jobs");
    }

    private static Optional<List<String>> circle(Map<String, Set<String>> uses) {
        Set<String> done = new TreeSet<>();
        return uses.keySet().stream()
                .map(start -> circle(uses, new ArrayList<>(List.of(start)), done))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<List<String>> circle(Map<String, Set<String>> uses, List<String> way, Set<String> done) {
        String last = way.get(way.size() - 1);
        for (String next : uses.getOrDefault(last, Set.of())) {
            if (way.contains(next)) {
                List<String> circle = new ArrayList<>(way.subList(way.indexOf(next), way.size()));
                circle.add(next);
                return Optional.of(circle);
            }
            if (!done.contains(next)) {
                way.add(next);
                Optional<List<String>> found = circle(uses, way, done);
                if (found.isPresent()) {
                    return found;
                }
                way.remove(way.size() - 1);
            }
        }
        done.add(last);
        return Optional.empty();
    }

    private static List<Path> mainCode() throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/main/"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .toList();
        }
    }
}
