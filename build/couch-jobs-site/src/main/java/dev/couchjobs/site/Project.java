package dev.couchjobs.site;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The Markdown pages of a project, by their paths in it. */
final class Project {
    /** In the root it has modules; deeper it is what the compiler of TypeScript writes. */
    private static final String BUILD = "build";

    private static final Set<String> NOT_SOURCES = Set.of("target", "node_modules", BUILD);

    private final Path root;
    private final SortedMap<Path, Page> pages = new TreeMap<>();

    private Project(Path root) {
        this.root = root;
    }

    static Project read(Path root) throws IOException {
        Project project = new Project(root);
        for (Path file : sources(root)) {
            if (file.toString().endsWith(".md")) {
                Path path = root.relativize(file);
                project.pages.put(path, Page.of(path, Files.readString(file)));
            }
        }
        return project;
    }

    /** {@return the files of a project but for hidden ones and what builds write} */
    static List<Path> sources(Path root) throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean isSource = directory.equals(root)
                        || directory.equals(root.resolve(BUILD))
                        || (!name.startsWith(".") && !NOT_SOURCES.contains(name));
                return isSource ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sources.add(file);
                return FileVisitResult.CONTINUE;
            }

            /** Other modules are built at the same time: what one of them has just removed is no source. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }

    Collection<Page> pages() {
        return pages.values();
    }

    @Nullable Page page(Path path) {
        return pages.get(path);
    }

    /** Whether a page lies in that directory, at any depth. */
    boolean hasPagesIn(Path directory) {
        return pages.keySet().stream().anyMatch(path -> path.startsWith(directory));
    }

    /** {@return the file or directory at that path of the project, which may not exist} */
    Path file(Path path) {
        return root.resolve(path);
    }
}
