package dev.couchjobs.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/** The Javadoc of the modules, from the jars that the build has made of it; none where the build made no jars. */
final class Javadoc {
    static final Path DIRECTORY = Path.of("javadoc");

    private final SortedSet<String> modules = new TreeSet<>();

    /** The page of each class, by the name of its module and the path of its file below the sources. */
    private final Map<String, Path> pages = new HashMap<>();

    private Javadoc() {}

    static Javadoc unpack(Project project, String version, Path site) throws IOException {
        Javadoc javadoc = new Javadoc();
        String end = "-" + version + "-javadoc.jar";
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(project.file(Path.of("")))) {
            for (Path directory : directories) {
                String module = directory.getFileName().toString();
                Path jar = directory.resolve("target/attached").resolve(module + end);
                if (Files.exists(jar)) {
                    javadoc.unpack(jar, module, site);
                }
            }
        }
        return javadoc;
    }

    /** {@return the names of the modules, in their order} */
    List<String> modules() {
        return List.copyOf(modules);
    }

    static Path index(String module) {
        return DIRECTORY.resolve(module).resolve("index.html");
    }

    @Nullable Path page(String module, String className) {
        return pages.get(module + "/" + className);
    }

    private void unpack(Path jar, String module, Path site) throws IOException {
        Path directory = site.resolve(DIRECTORY).resolve(module);
        modules.add(module);
        try (InputStream bytes = Files.newInputStream(jar);
                ZipInputStream zip = new ZipInputStream(bytes)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                String name = entry.getName();
                Path file = directory.resolve(name).normalize();
                if (!entry.isDirectory() && file.startsWith(directory) && !name.startsWith("META-INF/")) {
                    Files.createDirectories(file.getParent());
                    Files.copy(zip, file);
                    // Javadoc puts classes below a directory with the name of the Java module.
                    String className = name.substring(name.indexOf('/') + 1).replaceFirst("\\.html$", "");
                    pages.put(module + "/" + className, site.relativize(file));
                }
            }
        }
    }
}
