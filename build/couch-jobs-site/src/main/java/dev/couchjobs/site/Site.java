package dev.couchjobs.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The site of one version, in a directory of its own beside those of other versions. */
final class Site {
    private static final List<String> ASSETS = List.of("site.css", "search.js");

    private final Project project;
    private final Path directory;
    private final Javadoc javadoc;
    private final Layout layout;
    private final SearchIndex index = new SearchIndex();

    private Site(Project project, Path directory, Javadoc javadoc, Layout layout) {
        this.project = project;
        this.directory = directory;
        this.javadoc = javadoc;
        this.layout = layout;
    }

    /** {@return the broken links of the project's pages and of the site's} */
    static List<String> build(Path root, String version, Path sites) throws IOException {
        Project project = Project.read(root);
        Path directory = sites.resolve(version);
        deleteAll(directory);
        Files.createDirectories(directory);
        Javadoc javadoc = Javadoc.unpack(project, version, directory);
        Site site =
                new Site(project, directory, javadoc, new Layout(version, Navigation.of(project, javadoc.modules())));
        List<String> broken = new ArrayList<>(site.write());
        Versions.writeList(sites);
        broken.addAll(new LinkCheck().broken(directory, directory.resolve(Javadoc.DIRECTORY)));
        return broken;
    }

    private List<String> write() throws IOException {
        Links links = new Links(project, javadoc);
        for (Page page : project.pages()) {
            index.add(page);
            links.rewrite(page);
            writePage(Links.onSite(page.path()), page.title(), page.html());
        }
        for (Path path : links.listings()) {
            writePage(path.resolve("index.html"), path.toString(), listing(path));
        }
        for (Path path : links.texts()) {
            String text = Html.escaped(Files.readString(project.file(path)));
            writePage(Links.onSite(path), path.toString(), "<pre><code>" + text + "</code></pre>\n");
        }
        for (Path path : links.copies()) {
            Path copy = directory.resolve(path);
            Files.createDirectories(copy.getParent());
            Files.copy(project.file(path), copy);
        }
        if (Files.exists(project.file(ApiPage.SOURCE))) {
            ApiPage api = ApiPage.read(project.file(ApiPage.SOURCE));
            api.addTo(index);
            writePage(ApiPage.PATH, ApiPage.TITLE, api.html());
        }
        for (String name : ASSETS) {
            try (InputStream asset = Objects.requireNonNull(Site.class.getResourceAsStream(name), name)) {
                Files.copy(asset, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.writeString(directory.resolve("search-index.js"), index.script());
        return links.broken();
    }

    private void writePage(Path path, String title, String content) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, layout.page(path, title, content));
    }

    private String listing(Path path) {
        Path from = path.resolve("index.html");
        String items = project.pages().stream()
                .filter(page -> page.path().startsWith(path))
                .map(page ->
                        "<li>" + Html.link(Links.relative(from, Links.onSite(page.path())), page.title()) + "</li>\n")
                .collect(Collectors.joining());
        return "<h1>" + Html.escaped(path.toString()) + "</h1>\n<ul>\n" + items + "</ul>\n";
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            List<Path> files;
            try (Stream<Path> all = Files.walk(directory)) {
                files = all.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
