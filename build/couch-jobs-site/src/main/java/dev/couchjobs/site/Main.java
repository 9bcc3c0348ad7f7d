package dev.couchjobs.site;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Builds the site of one version. */
public final class Main {
    private Main() {}

    /**
     * Builds the site, and fails if it has a broken link.
     *
     * @param words the directory of the project, the version, and the directory of all versions' sites
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String... words) throws IOException {
        Path sites = Path.of(words[2]);
        List<String> broken = Site.build(Path.of(words[0]).toAbsolutePath().normalize(), words[1], sites);
        if (!broken.isEmpty()) {
            throw new IllegalStateException("Broken links:\n" + String.join("\n", broken));
        }
        System.out.println("The site: " + sites.resolve("index.html").toUri());
    }
}
