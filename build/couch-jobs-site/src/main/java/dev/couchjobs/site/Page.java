package dev.couchjobs.site;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * A Markdown page.
 *
 * @param path where it stands in the project
 * @param title its first heading
 * @param anchors the anchors of its headings
 */
record Page(Path path, Node document, String title, Map<Heading, String> anchors) {
    private static final List<TablesExtension> EXTENSIONS = List.of((TablesExtension) TablesExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

    static Page of(Path path, String markdown) {
        Node document = PARSER.parse(markdown);
        Map<Heading, String> anchors = new LinkedHashMap<>();
        Anchors names = new Anchors();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                anchors.put(heading, names.of(PlainText.of(heading)));
            }
        }
        String title = anchors.keySet().stream()
                .findFirst()
                .map(PlainText::of)
                .orElse(path.getFileName().toString());
        return new Page(path, document, title, anchors);
    }

    String html() {
        return HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    if (node instanceof Heading heading && anchors.containsKey(heading)) {
                        attributes.put("id", anchors.get(heading));
                    }
                })
                .build()
                .render(document);
    }
}
