package dev.couchjobs.site;

import java.nio.file.Path;

/** What all pages of one version's site have around their content. */
final class Layout {
    private static final String PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>%2$s</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="%1$ssite.css">
            <script src="%1$ssearch.js" data-root="%1$s" defer></script>
            </head>
            <body>
            <header>
            <a href="%1$sindex.html">couch-jobs</a>
            <a class="version" href="%1$s../index.html" title="Other versions">%3$s</a>
            <a class="narrow" href="#contents">Contents</a>
            <div role="search">
            <input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off">
            <ol id="found" aria-live="polite" hidden></ol>
            </div>
            </header>
            <main>
            %4$s</main>
            <nav id="contents" aria-label="Contents">
            %5$s</nav>
            </body>
            </html>
            """;

    private final String version;
    private final Navigation navigation;

    Layout(String version, Navigation navigation) {
        this.version = version;
        this.navigation = navigation;
    }

    String page(Path path, String title, String content) {
        String root = "../".repeat(path.getNameCount() - 1);
        return PAGE.formatted(root, Html.escaped(title), Html.escaped(version), content, contents(path, root));
    }

    private String contents(Path path, String root) {
        StringBuilder html = new StringBuilder();
        boolean isFirst = true;
        for (Navigation.Group group : navigation.groups()) {
            boolean isOpen = isFirst
                    || group.entries().stream().anyMatch(entry -> entry.path().equals(path));
            html.append(isOpen ? "<details open>" : "<details>");
            html.append("<summary>").append(Html.escaped(group.title())).append("</summary>\n<ul>\n");
            for (Navigation.Entry entry : group.entries()) {
                String target = root + entry.path().toString().replace('\\', '/');
                String here = entry.path().equals(path) ? " aria-current=\"page\"" : "";
                html.append("<li%s>".formatted(here))
                        .append(Html.link(target, entry.title()))
                        .append("</li>\n");
            }
            html.append("</ul>\n</details>\n");
            isFirst = false;
        }
        return html.toString();
    }
}
