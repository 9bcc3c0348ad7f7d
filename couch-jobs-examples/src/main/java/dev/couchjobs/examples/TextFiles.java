package dev.couchjobs.examples;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the text files under a directory. A file with a zero byte near its beginning is binary, as it is for git. */
final class TextFiles extends SimpleFileVisitor<Path> {
    private static final Set<String> NOT_SOURCES = Set.of("target", "build", "node_modules");
    private static final int LOOKED_AT_BYTES = 8_000;
    private static final int JOB_ID_BYTES_MAX = 1_000;

    private final Path root;
    private final List<TextFile> texts = new ArrayList<>();
    private final Map<String, String> skipped = new TreeMap<>();
    private int binaries;

    private TextFiles(Path root) {
        this.root = root;
    }

    /**
     * What there is under a directory.
     *
     * @param texts the text files, in the order of their paths
     * @param binaries how many files are not text
     * @param skipped files and directories that cannot be indexed, and why
     */
    record Listing(List<TextFile> texts, int binaries, Map<String, String> skipped) {}

    /** Lists a directory, without following links and without what is hidden or was built. */
    static Listing under(Path root) throws IOException {
        TextFiles found = new TextFiles(root);
        Files.walkFileTree(root, found);
        found.texts.sort(Comparator.comparing(TextFile::path));
        return new Listing(List.copyOf(found.texts), found.binaries, found.skipped);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
        String name = String.valueOf(directory.getFileName());
        boolean wanted = directory.equals(root) || !(name.startsWith(".") || NOT_SOURCES.contains(name));
        return wanted ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        String path = root.relativize(file).toString();
        try {
            if (attributes.isRegularFile()) {
                visitRegular(path, attributes);
            }
        } catch (IOException e) {
            skipped.put(path, TextFile.reason(e));
        } catch (InvalidPathException e) {
            skipped.put(path, "its name cannot be written as text here");
        }
        return FileVisitResult.CONTINUE;
    }

    private void visitRegular(String path, BasicFileAttributes attributes) throws IOException {
        if (isBinary(root.resolve(path))) {
            binaries++;
        } else if (path.getBytes(StandardCharsets.UTF_8).length > JOB_ID_BYTES_MAX) {
            skipped.put(path, "its path is longer than a job id may be");
        } else {
            texts.add(TextFile.of(path, attributes));
        }
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException error) {
        skipped.put(root.relativize(file).toString(), TextFile.reason(error));
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException error) {
        if (error != null) {
            skipped.put(root.relativize(directory).toString(), TextFile.reason(error));
        }
        return FileVisitResult.CONTINUE;
    }

    private static boolean isBinary(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            for (byte one : in.readNBytes(LOOKED_AT_BYTES)) {
                if (one == 0) {
                    return true;
                }
            }
            return false;
        }
    }
}
