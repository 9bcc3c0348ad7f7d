package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;

/** The server and worker processes of a soak. Safe for use by several threads. */
final class SoakFleet implements AutoCloseable {
    private static final double BYTES_IN_MEBIBYTE = 1 << 20;

    private final List<SoakProcess> servers = new ArrayList<>();
    private final List<SoakProcess> workers = new ArrayList<>();
    private final List<Integer> ports;
    private volatile Map<String, Long> kinds = Map.of();
    private Histogram waits = ServerReply.histogram();
    private EffectRows.Checked checked = new EffectRows.Checked(0, 0);

    private SoakFleet(SoakSettings settings, SoakPlace place) throws IOException {
        Path output = Files.createDirectories(settings.output);
        ports = FreePorts.of(place.servers());
        String prefix = "soak-" + UUID.randomUUID();
        for (int port : ports) {
            servers.add(new SoakProcess(
                    SoakServer.class,
                    output.resolve("server-" + servers.size() + ".log"),
                    List.of(place.location(), Integer.toString(port), prefix)));
        }
        for (int i = 0; i < settings.workers; i++) {
            workers.add(new SoakProcess(
                    SoakWorker.class,
                    output.resolve("worker-" + i + ".log"),
                    ports.stream().map(String::valueOf).toList()));
        }
    }

    static SoakFleet start(SoakSettings settings, SoakPlace place) throws IOException {
        SoakFleet fleet = new SoakFleet(settings, place);
        try {
            for (SoakProcess process : fleet.all().toList()) {
                process.start();
            }
            return fleet;
        } catch (IOException e) {
            fleet.close();
            throw e;
        }
    }

    private Stream<SoakProcess> all() {
        return Stream.concat(servers.stream(), workers.stream());
    }

    List<SoakProcess> servers() {
        return servers;
    }

    List<SoakProcess> workers() {
        return workers;
    }

    List<Integer> ports() {
        return ports;
    }

    /** {@return how many processes had ended by themselves; they are started again} */
    int startEnded() throws IOException {
        int ended = 0;
        for (SoakProcess process : all().toList()) {
            ended += process.startIfEnded() ? 1 : 0;
        }
        return ended;
    }

    /** {@return what has been checked, by the last server that could say} */
    synchronized EffectRows.Checked check() {
        for (SoakProcess server : servers) {
            ask(server, SoakServer.CHECK, ServerReply.Check.class).ifPresent(reply -> {
                waits.add(reply.histogram());
                checked = new EffectRows.Checked(
                        Math.max(checked.frontier(), reply.frontier()), Math.max(checked.doubled(), reply.doubled()));
            });
        }
        return checked;
    }

    /** {@return the times that jobs have waited for their start since the last call, as far as they were told} */
    synchronized Histogram takeWaits() {
        Histogram taken = waits;
        waits = ServerReply.histogram();
        return taken;
    }

    Optional<ServerReply.Missing> missing(long bound) {
        return ask(servers.get(0), SoakServer.MISSING + " " + bound, ServerReply.Missing.class);
    }

    /** Adds heap and rows to a sample, as far as servers can tell. */
    void census(Map<SoakMetric, Double> figures) {
        double heap = 0;
        for (SoakProcess server : servers) {
            Optional<ServerReply.Census> census = ask(server, SoakServer.CENSUS, ServerReply.Census.class);
            if (census.isEmpty()) {
                return;
            }
            kinds = census.get().kinds();
            heap += census.get().heap() / BYTES_IN_MEBIBYTE;
            figures.put(SoakMetric.ROWS, (double) census.get().rows());
            figures.put(SoakMetric.ROW_BYTES, census.get().bytes() / BYTES_IN_MEBIBYTE);
        }
        figures.put(SoakMetric.SERVER_HEAP, heap);
    }

    /** {@return the rows of the last census by their kinds} */
    Map<String, Long> kinds() {
        return kinds;
    }

    private static <T> Optional<T> ask(SoakProcess server, String line, Class<T> type) {
        try {
            return Optional.of(JsonMapper.shared().readValue(server.ask(line), type));
        } catch (IOException e) {
            return Optional.empty(); // it is killed, or cannot commit
        }
    }

    @Override
    public void close() {
        all().forEach(SoakProcess::close);
    }
}
