package dev.couchjobs.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Link;

/** The groups of links that each page of the site has. */
final class Navigation {
    private static final Path README = Path.of("README.md");
    private static final Path DOCS = Path.of("docs");
    private static final Path DECISIONS = DOCS.resolve("decisions");
    private static final Path RFC = Path.of("rfc");

    /** A page of the site. */
    record Entry(Path path, String title) {}

    /** Entries below a title. */
    record Group(String title, List<Entry> entries) {}

    private final List<Group> groups = new ArrayList<>();

    private Navigation() {}

    /** Guides stand in the order of the README's links to them, other pages in that of their names. */
    static Navigation of(Project project, List<String> modulesWithJavadoc) {
        Set<Page> guides = new LinkedHashSet<>();
        Page readme = project.page(README);
        if (readme != null) {
            guides.add(readme);
            guides.addAll(linked(project, readme));
        }
        project.pages().stream()
                .filter(page -> DOCS.equals(page.path().getParent()))
                .forEach(guides::add);
        List<Page> others = project.pages().stream()
                .filter(page -> !guides.contains(page))
                .filter(page -> !page.path().startsWith(DOCS) && !page.path().startsWith(RFC))
                .toList();

        Navigation navigation = new Navigation();
        navigation.add("Guides", entries(guides));
        List<Entry> reference = new ArrayList<>();
        if (Files.exists(project.file(ApiPage.SOURCE))) {
            reference.add(new Entry(ApiPage.PATH, ApiPage.TITLE));
        }
        modulesWithJavadoc.forEach(module -> reference.add(new Entry(Javadoc.index(module), "Javadoc: " + module)));
        navigation.add("Reference", reference);
        navigation.add("What is stored", entries(within(project, RFC)));
        navigation.add("Decisions", entries(within(project, DECISIONS)));
        navigation.add("More", entries(others));
        return navigation;
    }

    List<Group> groups() {
        return groups;
    }

    private void add(String title, List<Entry> entries) {
        if (!entries.isEmpty()) {
            groups.add(new Group(title, entries));
        }
    }

    private static List<Page> within(Project project, Path directory) {
        return project.pages().stream()
                .filter(page -> page.path().startsWith(directory))
                .toList();
    }

    private static List<Entry> entries(Iterable<Page> pages) {
        List<Entry> entries = new ArrayList<>();
        pages.forEach(page -> entries.add(new Entry(Links.onSite(page.path()), page.title())));
        return entries;
    }

    private static Set<Page> linked(Project project, Page page) {
        Set<Page> linked = new LinkedHashSet<>();
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                Page target = project.page(Path.of(link.getDestination().replaceFirst("[#:].*", "")));
                if (target != null && DOCS.equals(target.path().getParent())) {
                    linked.add(target);
                }
            }
        });
        return linked;
    }
}
