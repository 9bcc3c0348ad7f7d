package dev.couchjobs.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/** Makes the links between files of the project to links between files of the site, and notes what else they need. */
final class Links {
    private static final Pattern ELSEWHERE = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:.*");
    private static final Pattern CLASS = Pattern.compile("([^/]+)/src/main/java/(.+)\\.java");
    private static final Pattern SHOWN_BY_BROWSERS = Pattern.compile(".*\\.(png|svg|json)");

    private final Project project;
    private final Javadoc javadoc;
    private final List<String> broken = new ArrayList<>();
    private final Set<Path> copies = new TreeSet<>();
    private final Set<Path> texts = new TreeSet<>();
    private final Set<Path> listings = new TreeSet<>();

    Links(Project project, Javadoc javadoc) {
        this.project = project;
        this.javadoc = javadoc;
    }

    void rewrite(Page page) {
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                visitChildren(link);
                String target = target(page, link.getDestination());
                if (target.isEmpty()) {
                    replaceByItsText(link);
                } else {
                    link.setDestination(target);
                }
            }

            @Override
            public void visit(Image image) {
                image.setDestination(target(page, image.getDestination()));
            }
        });
    }

    /** {@return links to files that the project does not have} */
    List<String> broken() {
        return broken;
    }

    /** {@return the files that stand on the site as they are} */
    Set<Path> copies() {
        return copies;
    }

    /** {@return the files that stand on the site as pages with their text} */
    Set<Path> texts() {
        return texts;
    }

    /** {@return the directories that stand on the site as lists of the pages in them} */
    Set<Path> listings() {
        return listings;
    }

    /** {@return where a page of the project stands on the site} */
    static Path onSite(Path path) {
        String name = path.getFileName().toString();
        return path.resolveSibling(name.equals("README.md") ? "index.html" : name.replaceFirst("\\.md$", "") + ".html");
    }

    static String relative(Path from, Path to) {
        Path directory = from.getParent();
        Path way = directory == null ? to : directory.relativize(to);
        return way.toString().replace('\\', '/');
    }

    private String target(Page page, String destination) {
        int mark = destination.indexOf('#');
        String path = mark < 0 ? destination : destination.substring(0, mark);
        if (path.isEmpty() || ELSEWHERE.matcher(destination).matches()) {
            return destination;
        }
        Path target = page.path().resolveSibling(path).normalize();
        if (path.startsWith("/") || target.startsWith("..") || !Files.exists(project.file(target))) {
            broken.add(page.path() + ": " + destination);
            return destination;
        }
        Path shown = shown(target);
        String anchor = mark < 0 ? "" : destination.substring(mark);
        return shown.toString().isEmpty() ? "" : relative(onSite(page.path()), shown) + anchor;
    }

    /** {@return the file of the site that shows a file of the project; empty for a directory without pages} */
    private Path shown(Path target) {
        Path readme = target.resolve("README.md");
        if (project.page(target) != null) {
            return onSite(target);
        } else if (project.page(readme) != null) {
            return onSite(readme);
        } else if (Files.isDirectory(project.file(target))) {
            return project.hasPagesIn(target) ? noted(listings, target).resolve("index.html") : Path.of("");
        } else if (SHOWN_BY_BROWSERS.matcher(target.toString()).matches()) {
            return noted(copies, target);
        }
        Matcher javaFile = CLASS.matcher(target.toString().replace('\\', '/'));
        if (javaFile.matches()) {
            Path page = javadoc.page(javaFile.group(1), javaFile.group(2));
            if (page != null) {
                return page;
            }
        }
        return onSite(noted(texts, target));
    }

    private static Path noted(Set<Path> paths, Path path) {
        paths.add(path);
        return path;
    }

    private static void replaceByItsText(Link link) {
        Node child = link.getFirstChild();
        while (child != null) {
            Node next = child.getNext();
            link.insertBefore(child);
            child = next;
        }
        link.unlink();
    }
}
