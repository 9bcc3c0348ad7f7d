package dev.couchjobs.site;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The list of the versions whose sites lie beside each other. */
final class Versions {
    private static final String PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>couch-jobs: versions</title>
            <link rel="stylesheet" href="%1$s/site.css">
            </head>
            <body>
            <main>
            <h1>Versions</h1>
            <ul>
            %2$s</ul>
            </main>
            </body>
            </html>
            """;

    private Versions() {}

    /** Lists each version that has a site in the directory, the newest first. */
    static void writeList(Path sites) throws IOException {
        List<String> versions;
        try (Stream<Path> files = Files.list(sites)) {
            versions = files.filter(file -> Files.exists(file.resolve("index.html")))
                    .map(file -> Version.parse(file.getFileName().toString()))
                    .sorted(Comparator.reverseOrder())
                    .map(Version::toString)
                    .toList();
        }
        if (!versions.isEmpty()) {
            String items = versions.stream()
                    .map(version -> "<li>" + Html.link(version + "/index.html", version) + "</li>\n")
                    .collect(Collectors.joining());
            Files.writeString(sites.resolve("index.html"), PAGE.formatted(versions.get(0), items));
        }
    }
}
