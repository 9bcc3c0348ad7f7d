package dev.couchjobs.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import tools.jackson.databind.json.JsonMapper;

/** What the search in the browser looks through: the text below each heading. */
final class SearchIndex {
    /**
     * A part of a page.
     *
     * @param url from the root of the version's site
     */
    record Section(String url, String page, String heading, String text) {}

    private final List<Section> sections = new ArrayList<>();

    void add(Page page) {
        String url = url(Links.onSite(page.path()));
        String anchor = "";
        String heading = "";
        StringBuilder text = new StringBuilder();
        for (Node node = page.document().getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading next) {
                addUnlessEmpty(new Section(url + anchor, page.title(), heading, text.toString()));
                anchor = "#" + page.anchors().get(next);
                heading = PlainText.of(next);
                text.setLength(0);
            } else {
                text.append(PlainText.of(node)).append(' ');
            }
        }
        addUnlessEmpty(new Section(url + anchor, page.title(), heading, text.toString()));
    }

    void add(Path page, String anchor, String title, String heading, String text) {
        sections.add(new Section(url(page) + "#" + anchor, title, heading, text));
    }

    /** {@return a script that sets {@code searchIndex}: unlike JSON, pages opened from a disk may load it} */
    String script() {
        return "var searchIndex = " + new JsonMapper().writeValueAsString(sections) + ";\n";
    }

    private void addUnlessEmpty(Section section) {
        if (!section.heading.isEmpty() || !section.text.isBlank()) {
            sections.add(section);
        }
    }

    private static String url(Path page) {
        return page.toString().replace('\\', '/');
    }
}
