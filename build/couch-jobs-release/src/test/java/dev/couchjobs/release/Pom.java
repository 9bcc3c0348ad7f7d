package dev.couchjobs.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A pom as it is written: nothing is inherited or replaced. */
record Pom(Element project) {
    static Pom read(Path file) throws IOException {
        try {
            return new Pom(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement());
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " is no pom", e);
        }
    }

    /** {@return the elements at a path of names below the project, such as {@code licenses/license/name}} */
    List<Element> elements(String path) {
        List<Element> found = List.of(project);
        for (String name : path.split("/", -1)) {
            found = found.stream()
                    .flatMap(parent -> children(parent, name).stream())
                    .toList();
        }
        return found;
    }

    /** {@return the texts of the elements at a path} */
    List<String> texts(String path) {
        return elements(path).stream()
                .map(element -> element.getTextContent().strip())
                .toList();
    }

    static List<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node -> node.getNodeName().equals(name))
                .map(Element.class::cast)
                .toList();
    }
}
