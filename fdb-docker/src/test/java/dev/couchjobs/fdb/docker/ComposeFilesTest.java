package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Docker would refuse, or what would not work together, in the compose files. */
class ComposeFilesTest {
    private static final String DIRECTORY = "/var/lib/foundationdb";
    private static final String NETWORK_OF = "service:";
    private static final Pattern PORTS =
            Pattern.compile("(?<ip>[\\d.]+):(?<range>(?<first>\\d+)(-(?<last>\\d+))?):\\k<range>");

    enum Cluster {
        ONE("compose.yaml", "single.cluster", "single ssd", 1),
        THREE("compose.three.yaml", "three.cluster", "double ssd", 3);

        private final String composeFile;
        private final String clusterFile;
        private final String configuration;
        private final int machines;

        Cluster(String composeFile, String clusterFile, String configuration, int machines) {
            this.composeFile = composeFile;
            this.clusterFile = clusterFile;
            this.configuration = configuration;
            this.machines = machines;
        }

        String coordinators() {
            return Module.read(Module.ROOT.resolve(clusterFile)).strip();
        }

        Map<String, Map<String, Object>> services() {
            return section(Module.yaml(composeFile), "services");
        }

        /** {@return the services that are built, which are those of FoundationDB} */
        Map<String, Map<String, Object>> nodes() {
            Map<String, Map<String, Object>> nodes = new TreeMap<>(services());
            nodes.values().removeIf(service -> !service.containsKey("build"));
            return nodes;
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyMachineIsAServiceBuiltFromTheImage(Cluster cluster) {
        assertThat(cluster.nodes()).hasSize(cluster.machines);
        assertThat(cluster.nodes().values())
                .allSatisfy(node -> assertThat(
                                Module.ROOT.resolve(text(node, "build")).resolve("Dockerfile"))
                        .exists());
    }

    @ParameterizedTest
    @EnumSource
    void everyMachineHasAVolumeOfItsOwnThatIsDeclared(Cluster cluster) {
        Set<String> declared =
                section(Module.yaml(cluster.composeFile), "volumes").keySet();

        List<String> mounted = new ArrayList<>();
        cluster.nodes()
                .values()
                .forEach(node -> assertThat(texts(node, "volumes"))
                        .singleElement()
                        .satisfies(volume -> {
                            assertThat(volume).endsWith(":" + DIRECTORY);
                            mounted.add(volume.substring(0, volume.indexOf(':')));
                        }));

        assertThat(mounted).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(declared);
    }

    @ParameterizedTest
    @EnumSource
    void everyMachineIsOnItsOwnInLocality(Cluster cluster) {
        assertThat(cluster.nodes().values().stream().map(node -> environment(node, "FDB_MACHINE")))
                .doesNotContain("")
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void allHaveTheClusterFileOfTheHost(Cluster cluster) {
        assertThat(cluster.nodes().values().stream().map(node -> environment(node, "FDB_CLUSTER_FILE_CONTENTS")))
                .containsOnly(cluster.coordinators());
    }

    @ParameterizedTest
    @EnumSource
    void everyMachineIsACoordinatorOnThisMachineAtTheSamePortEverywhere(Cluster cluster) {
        List<String> announced = cluster.nodes().values().stream()
                .map(node -> "127.0.0.1:" + environment(node, "FDB_PORT"))
                .toList();
        assertThat(cluster.coordinators().replaceFirst(".*@", "").split(","))
                .containsExactlyInAnyOrderElementsOf(announced);
        assertThat(cluster.services().values().stream()
                        .flatMap(service -> texts(service, "ports").stream())
                        .flatMap(ComposeFilesTest::published))
                .containsExactlyInAnyOrderElementsOf(announced);
    }

    @ParameterizedTest
    @EnumSource
    void oneMachineMakesTheDatabase(Cluster cluster) {
        assertThat(cluster.nodes().values().stream()
                        .map(node -> environment(node, "FDB_CONFIGURATION"))
                        .filter(configuration -> !configuration.isEmpty()))
                .containsExactly(cluster.configuration);
    }

    @ParameterizedTest
    @EnumSource
    void whatServicesReferToIsThere(Cluster cluster) {
        Set<String> services = cluster.services().keySet();
        assertThat(cluster.services().values()).allSatisfy(service -> {
            assertThat(services).containsAll(section(service, "depends_on").keySet());
            String network = text(service, "network_mode");
            if (!network.isEmpty()) {
                assertThat(network).startsWith(NETWORK_OF);
                String holder = network.substring(NETWORK_OF.length());
                assertThat(section(service, "depends_on")).containsKey(holder);
                // Docker publishes the ports of the one that holds the network, and of no other container in it.
                assertThat(texts(service, "ports")).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void everyVariableIsReadByAScript(Cluster cluster) {
        String scripts = String.join("\n", Module.scripts().map(Module::read).toList());
        cluster.nodes()
                .values()
                .forEach(node -> assertThat(section(node, "environment").keySet())
                        .allSatisfy(variable -> assertThat(scripts).contains(variable)));
    }

    /** {@return where the host reaches it, if the ports in the container are the same} */
    private static Stream<String> published(String ports) {
        Matcher matcher = PORTS.matcher(ports);
        assertThat(matcher.matches()).as(ports).isTrue();
        int first = Integer.parseInt(matcher.group("first"));
        int last = matcher.group("last") == null ? first : Integer.parseInt(matcher.group("last"));
        return IntStream.rangeClosed(first, last).mapToObj(port -> matcher.group("ip") + ":" + port);
    }

    private static String environment(Map<String, Object> service, String variable) {
        return text(section(service, "environment"), variable);
    }

    private static String text(Map<String, ?> of, String key) {
        Object value = of.get(key);
        return value == null ? "" : value.toString();
    }

    private static List<String> texts(Map<String, Object> of, String key) {
        return of.get(key) instanceof List<?> list
                ? list.stream().map(Object::toString).toList()
                : List.of();
    }

    @SuppressWarnings("unchecked") // As the compose specification has it.
    private static <V> Map<String, V> section(Map<String, Object> of, String key) {
        return of.get(key) instanceof Map<?, ?> map ? (Map<String, V>) map : Map.of();
    }
}
