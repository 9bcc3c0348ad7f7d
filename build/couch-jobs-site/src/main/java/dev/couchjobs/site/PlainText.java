package dev.couchjobs.site;

import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;

/** What a reader reads of a part of a page, without its marks. */
final class PlainText {
    private PlainText() {}

    static String of(Node node) {
        StringBuilder text = new StringBuilder();
        append(node, text);
        return text.toString().strip();
    }

    private static void append(Node node, StringBuilder text) {
        if (node instanceof Text words) {
            text.append(words.getLiteral());
        } else if (node instanceof Code code) {
            text.append(code.getLiteral());
        } else if (node instanceof FencedCodeBlock code) {
            text.append(code.getLiteral());
        } else if (node instanceof IndentedCodeBlock code) {
            text.append(code.getLiteral());
        } else if (node instanceof SoftLineBreak || node instanceof HardLineBreak) {
            text.append(' ');
        }
        for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
            append(child, text);
        }
        boolean isCell = node instanceof TableCell;
        if (node instanceof Block || isCell) {
            text.append(' ');
        }
    }
}
