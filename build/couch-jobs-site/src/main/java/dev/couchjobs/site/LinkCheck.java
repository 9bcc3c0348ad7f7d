package dev.couchjobs.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds links and pictures of pages of HTML that lead nowhere, without asking other sites. */
final class LinkCheck {
    private static final Pattern ID = Pattern.compile("\\sid=\"([^\"]*)\"");
    private static final Pattern LINK = Pattern.compile("<[^>]*\\s(?:href|src)=\"([^\"]*)\"");
    private static final Pattern ELSEWHERE = Pattern.compile("(https?|mailto|data):.*");

    private final Map<Path, Set<String>> ids = new HashMap<>();

    /** {@return each broken link, after the page that has it; not of pages in the directory left out} */
    List<String> broken(Path directory, Path leftOut) throws IOException {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(directory)) {
            pages = files.filter(file -> isPage(file) && !file.startsWith(leftOut))
                    .sorted()
                    .toList();
        }
        List<String> broken = new ArrayList<>();
        for (Path page : pages) {
            for (String link : found(LINK, Files.readString(page))) {
                if (!ELSEWHERE.matcher(link).matches() && !leadsSomewhere(page, link)) {
                    broken.add(directory.relativize(page) + ": " + link);
                }
            }
        }
        return broken;
    }

    private boolean leadsSomewhere(Path page, String link) throws IOException {
        String unescaped = link.replace("&amp;", "&");
        int mark = unescaped.indexOf('#');
        String path = mark < 0 ? unescaped : unescaped.substring(0, mark);
        Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        if (path.startsWith("/") || !Files.isRegularFile(target)) {
            return false;
        }
        return mark < 0 || ids(target).contains(unescaped.substring(mark + 1));
    }

    private Set<String> ids(Path page) throws IOException {
        Set<String> known = ids.get(page);
        if (known == null) {
            known = isPage(page) ? new HashSet<>(found(ID, Files.readString(page))) : Set.of();
            ids.put(page, known);
        }
        return known;
    }

    private static List<String> found(Pattern pattern, String html) {
        return pattern.matcher(html).results().map(found -> found.group(1)).toList();
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".html");
    }
}
