package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.Databases;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The programs as a release has them: unpacked, each starts as its unit says, answers, and ends by SIGTERM. */
@Timeout(300)
class TarballTest {
    private static final Path LINTER = ProjectModule.PROJECT.resolve("fdb-docker/target/lint/lint.js");

    /** What systemd 252 knows of what a unit may say, as far as these do. */
    private static final Set<String> SETTINGS = Set.of(
            "Unit.Description",
            "Unit.Documentation",
            "Unit.Wants",
            "Unit.After",
            "Service.Type",
            "Service.User",
            "Service.EnvironmentFile",
            "Service.ExecStart",
            "Service.StateDirectory",
            "Service.StateDirectoryMode",
            "Service.LimitNOFILE",
            "Service.KillMode",
            "Service.TimeoutStopSec",
            "Service.SuccessExitStatus",
            "Service.Restart",
            "Service.RestartSec",
            "Service.RestartPreventExitStatus",
            "Service.UMask",
            "Service.CapabilityBoundingSet",
            "Service.LockPersonality",
            "Service.NoNewPrivileges",
            "Service.PrivateDevices",
            "Service.PrivateTmp",
            "Service.ProtectClock",
            "Service.ProtectControlGroups",
            "Service.ProtectHome",
            "Service.ProtectHostname",
            "Service.ProtectKernelLogs",
            "Service.ProtectKernelModules",
            "Service.ProtectKernelTunables",
            "Service.ProtectProc",
            "Service.ProtectSystem",
            "Service.ReadWritePaths",
            "Service.RestrictAddressFamilies",
            "Service.RestrictNamespaces",
            "Service.RestrictRealtime",
            "Service.RestrictSUIDSGID",
            "Service.SystemCallArchitectures",
            "Service.SystemCallErrorNumber",
            "Service.SystemCallFilter",
            "Install.WantedBy");

    enum Program {
        SERVER("couch-jobs-server", "couch-jobs listens on (\\S+) .*", 143),
        BRIDGE("couch-jobs-bridge", "node alpha waits for (\\S+)", 0);

        private final String module;
        private final String started;
        private final int ended;

        Program(String module, String started, int ended) {
            this.module = module;
            this.started = started;
            this.ended = ended;
        }
    }

    @TempDir
    private static Path directory;

    private static final Map<Program, Tarball> TARBALLS = new EnumMap<>(Program.class);

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        for (Program program : Program.values()) {
            TARBALLS.put(
                    program, Tarball.unpack(program.module, Files.createDirectory(directory.resolve(program.module))));
        }
    }

    private static Tarball tarball(Program program) {
        return Objects.requireNonNull(TARBALLS.get(program));
    }

    @ParameterizedTest
    @EnumSource
    void theUnitStartsItAndASignalEndsIt(Program program) throws IOException, InterruptedException {
        Tarball tarball = tarball(program);
        List<String> command = command(tarball);
        assertThat(tarball.run(checking(command), Map.of())).startsWith("0");
        Process process = tarball.start(command, Map.of());
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            String address = address(said, program.started);
            List<String> health =
                    tarball.run(tarball.containerfile().command("HEALTHCHECK"), Map.of("COUCH_JOBS_URL", address));
            assertThat(health).startsWith("0");
            process.toHandle().destroy();
            assertThat(process.waitFor()).isEqualTo(program.ended);
        } finally {
            process.destroyForcibly();
        }
        try (Database free = Databases.directory(data(tarball))) {
            assertThat(free).isNotNull();
        }
        assertThat(tarball.run(
                        tarball.containerfile().command("HEALTHCHECK"), Map.of("COUCH_JOBS_URL", "http://127.0.0.1:1")))
                .startsWith("1");
    }

    /** The server has the option of its command, the bridge before its files. */
    private static List<String> checking(List<String> command) {
        List<String> words = new ArrayList<>(command);
        words.add(words.contains("serve") ? words.size() : 1, "--check");
        return words;
    }

    private static List<String> command(Tarball tarball) throws IOException {
        return Arrays.asList(tarball.unit().value("Service.ExecStart").split(" "));
    }

    private static String address(BufferedReader said, String started) throws IOException {
        List<String> lines = new ArrayList<>();
        String line = said.readLine();
        while (line != null && !line.matches(started)) {
            lines.add(line);
            line = said.readLine();
        }
        assertThat(line).as(String.join("\n", lines)).isNotNull();
        return line.replaceAll(started, "$1");
    }

    /** Where the configuration has it, which is in the directory that the unit makes. */
    private static Path data(Tarball tarball) throws IOException {
        Path data = tarball.var()
                .resolve(tarball.unit().value("Service.StateDirectory"))
                .resolve("data");
        assertThat(data).isDirectory();
        return data;
    }

    @ParameterizedTest
    @EnumSource
    void theUnitSaysWhatSystemdKnows(Program program) throws IOException {
        Tarball tarball = tarball(program);
        UnitFile unit = tarball.unit();
        assertThat(SETTINGS).containsAll(unit.settings().keySet());
        assertThat(Path.of(tarball.here(command(tarball).get(0)))).isExecutable();
        assertThat(Path.of(tarball.here(unit.value("Unit.Documentation").substring("file:".length()))))
                .isRegularFile();
        assertThat(unit.value("Service.SuccessExitStatus")).isEqualTo("143");
        assertThat(unit.value("Service.KillMode")).isEqualTo("mixed");
        assertThat(Integer.parseInt(unit.value("Service.TimeoutStopSec"))).isGreaterThan(80);
        assertThat(unit.value("Service.User")).isNotEqualTo("root");
        assertThat(unit.value("Service.ProtectSystem")).isEqualTo("strict");
        assertThat(unit.settings())
                .as("RocksDB's native library is unpacked into /tmp, which is read-only otherwise")
                .containsAnyOf(entry("Service.PrivateTmp", "yes"), entry("Service.ReadWritePaths", "/tmp"));
    }

    @ParameterizedTest
    @EnumSource
    void theImageIsMadeOfWhatIsThere(Program program) throws IOException, InterruptedException {
        Tarball tarball = tarball(program);
        Containerfile image = tarball.containerfile();
        Process node = new ProcessBuilder(
                        "node",
                        LINTER.toString(),
                        tarball.root().resolve("Containerfile").toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(node.waitFor()).isZero();
        assertThat(image.arguments("FROM")).singleElement().asString().matches(".*:\\d+-jre-\\w+");
        assertThat(image.copied()).contains("LICENSE", "lib", "bin", "conf").allSatisfy(copied -> {
            PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + copied);
            assertThat(tarball.files("")).anyMatch(file -> matcher.matches(file.getFileName()));
        });
        assertThat(image.command("ENTRYPOINT")).containsExactly(command(tarball).get(0));
        assertThat(image.command("CMD"))
                .isEqualTo(command(tarball).subList(1, command(tarball).size()));
        assertThat(image.arguments("VOLUME"))
                .containsExactly("/var/lib/" + tarball.unit().value("Service.StateDirectory"));
        assertThat(image.arguments("USER")).singleElement().asString().matches("[1-9]\\d*");
        assertThat(image.instructions()
                        .subList(
                                image.instructions().indexOf("USER 7470"),
                                image.instructions().size()))
                .noneMatch(instruction -> instruction.matches("(RUN|COPY|ADD) .*"));
    }

    @ParameterizedTest
    @EnumSource
    void theLibrariesAreThoseOfTheProgram(Program program) throws IOException {
        Tarball tarball = tarball(program);
        Path jar = tarball.files("").stream()
                .filter(file -> file.toString().endsWith(".jar"))
                .findFirst()
                .orElseThrow();
        try (JarFile file = new JarFile(jar.toFile())) {
            String path = file.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            assertThat(tarball.files("lib").stream()
                            .map(library -> "lib/" + library.getFileName())
                            .toList())
                    .containsExactlyInAnyOrder(path.split(" "));
        }
        assertThat(tarball.root().resolve("LICENSE")).hasSameTextualContentAs(ProjectModule.PROJECT.resolve("LICENSE"));
    }

    /** So that all who build a version have the same file. */
    @ParameterizedTest
    @EnumSource
    void timesAndRightsAreFixed(Program program) throws IOException {
        Path root = tarball(program).root();
        Instant time = Instant.parse(ProjectModule.parent()
                .texts("properties/project.build.outputTimestamp")
                .get(0));
        List<Path> all;
        try (Stream<Path> walk = Files.walk(root)) {
            all = walk.filter(path -> !path.equals(root)).toList();
        }
        for (Path path : all) {
            if (Files.isRegularFile(path)) {
                assertThat(Files.getLastModifiedTime(path)).as(path.toString()).isEqualTo(FileTime.from(time));
            }
            boolean isOpen = Files.isDirectory(path) || root.relativize(path).startsWith("bin");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .as(path.toString())
                    .isEqualTo(isOpen ? "rwxr-xr-x" : "rw-r--r--");
        }
    }
}
