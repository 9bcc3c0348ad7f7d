package dev.couchjobs.costs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The page that says what verbs and loops cost. */
public final class CostsPage {
    /** The section of topics, which another module measures. */
    public static final String TOPICS = "## Topics";

    private static final Path PAGE = Path.of("..", "docs", "costs.md");

    private CostsPage() {}

    /** {@return the row of that name; empty if there is none} */
    public static String row(String name) throws IOException {
        return rows(section -> true)
                .filter(line -> line.startsWith("| " + name + " |"))
                .findFirst()
                .orElse("");
    }

    /** {@return the names of the rows in some sections, in order} */
    public static List<String> names(Predicate<String> sections) throws IOException {
        return rows(sections).map(line -> column(line, 1)).toList();
    }

    /** {@return the lines that say what something costs: those of ten columns, without the headings} */
    static Stream<String> rows(Predicate<String> sections) throws IOException {
        List<String> rows = new ArrayList<>();
        String section = "";
        for (String line : lines().toList()) {
            if (line.startsWith("## ")) {
                section = line;
            }
            if (sections.test(section) && line.matches("\\| [^|]+ \\| \\d+ \\|([^|]*\\|){8}")) {
                rows.add(line);
            }
        }
        return rows.stream();
    }

    static String column(String line, int number) {
        return line.split("\\|", -1)[number].trim();
    }

    static Stream<String> lines() throws IOException {
        return Files.readString(PAGE, StandardCharsets.UTF_8).lines();
    }
}
