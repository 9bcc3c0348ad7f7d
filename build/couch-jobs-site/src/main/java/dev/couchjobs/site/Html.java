package dev.couchjobs.site;

/** Pieces of HTML from plain text. */
final class Html {
    private Html() {}

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    static String link(String target, String text) {
        return "<a href=\"" + escaped(target) + "\">" + escaped(text) + "</a>";
    }

    static String code(String text) {
        return "<code>" + escaped(text) + "</code>";
    }
}
