package dev.couchjobs.bench.cluster;

import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bench.FdbPrograms;
import dev.couchjobs.bench.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A new cluster of processes on this machine, with a process for each role. Closing it deletes its files. */
final class LocalCluster implements AutoCloseable {
    /** The class of storage processes. */
    static final String STORAGE = "storage";
    /** How often servers report their counters. */
    static final Duration REPORTS = Duration.ofSeconds(1);

    private static final List<String> OTHERS =
            List.of("log", "commit_proxy", "grv_proxy", "resolution", "stateless", "cluster_controller");
    private static final int SECONDS_TO_END = 30;

    private final ClusterSettings settings;
    private final FdbPrograms programs;
    private final Path directory;
    private final Path clusterFile;
    /** By name: the class, with a number if there are several of it. */
    private final Map<String, Server> servers = new LinkedHashMap<>();

    private record Server(int port, Process process) {}

    private LocalCluster(ClusterSettings settings, Path directory) {
        this.settings = settings;
        this.programs = new FdbPrograms(program(settings, "fdbserver"), program(settings, "fdbcli"));
        this.directory = directory;
        this.clusterFile = directory.resolve("fdb.cluster");
    }

    /** Starts and configures a cluster. */
    static LocalCluster start(ClusterSettings settings, int storages) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(settings.directory(), "couch-jobs-cluster-")
                .toAbsolutePath();
        LocalCluster cluster = new LocalCluster(settings, directory);
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::end));
        try {
            cluster.startServers(storages);
            cluster.configure();
            return cluster;
        } catch (IOException | InterruptedException e) {
            cluster.close();
            throw e;
        }
    }

    private void startServers(int storages) throws IOException {
        List<String> kinds = new ArrayList<>(OTHERS);
        kinds.addAll(Collections.nCopies(storages, STORAGE));
        List<Integer> ports = FreePorts.of(kinds.size());
        Files.writeString(clusterFile, "bench:bench@127.0.0.1:" + ports.get(0) + "\n");
        for (int i = 0; i < kinds.size(); i++) {
            String kind = kinds.get(i);
            String name = kind.equals(STORAGE) ? kind + (i - OTHERS.size() + 1) : kind;
            servers.put(name, new Server(ports.get(i), startServer(name, kind, ports.get(i))));
        }
    }

    private Process startServer(String name, String kind, int port) throws IOException {
        Path place = Files.createDirectory(directory.resolve(name));
        List<String> options = new ArrayList<>(List.of(
                "--class",
                kind,
                "--datadir",
                place.toString(),
                "--logdir",
                place.toString(),
                "--memory",
                "4GiB",
                "--knob_storage_logging_delay=" + REPORTS.toSeconds(),
                "--knob_worker_logging_interval=" + REPORTS.toSeconds()));
        settings.knobs().forEach(knob -> options.add("--knob_" + knob));
        return programs.start(port, clusterFile, options, place.resolve("output"));
    }

    /** The path of a program; its name alone, if only the search path may have it. */
    private static String program(ClusterSettings settings, String name) {
        Path path = settings.programs().resolve(name);
        return Files.isExecutable(path) ? path.toAbsolutePath().toString() : name;
    }

    private void configure() throws IOException, InterruptedException {
        programs.configure(
                clusterFile, "single " + settings.engine() + " commit_proxies=1 grv_proxies=1 resolvers=1 logs=1");
    }

    Path clusterFile() {
        return clusterFile;
    }

    /** The name of the process with an address; the address itself if it is none of these. */
    String name(String address) {
        return servers.entrySet().stream()
                .filter(server -> address.endsWith(":" + server.getValue().port()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(address);
    }

    /** The CPU time of each process so far, by name. */
    Map<String, Duration> cpuTimes() {
        return servers.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        server -> cpuTime(server.getValue().process().toHandle())));
    }

    static Duration cpuTime(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private void end() {
        servers.values().forEach(server -> server.process().destroyForcibly());
    }

    @Override
    public void close() throws IOException {
        end();
        servers.values()
                .forEach(server -> server.process()
                        .onExit()
                        .orTimeout(SECONDS_TO_END, TimeUnit.SECONDS)
                        .join());
        DirectoryFiles.delete(directory);
    }
}
