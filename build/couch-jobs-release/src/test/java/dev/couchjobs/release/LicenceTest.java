package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each jar that is published has the text of the licence. */
class LicenceTest {
    static List<Path> jars() throws IOException {
        return ProjectModule.publishedJars().stream()
                .flatMap(module ->
                        module.hasTestJar() ? Stream.of(module.jar(), module.testJar()) : Stream.of(module.jar()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("jars")
    void theJarHasTheLicence(Path jar) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            assertThat(files.getPath("META-INF/LICENSE"))
                    .hasSameTextualContentAs(ProjectModule.PROJECT.resolve("LICENSE"));
        }
    }
}
