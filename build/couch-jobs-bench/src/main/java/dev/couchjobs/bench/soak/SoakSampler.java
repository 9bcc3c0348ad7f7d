package dev.couchjobs.bench.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Takes samples of a soak, in one thread. */
final class SoakSampler {
    private static final int CENSUS_EVERY = 4;
    private static final int PRINT_EVERY = 12;
    private static final double P50 = 50;
    private static final double P99 = 99;

    private final SoakPlace place;
    private final SoakFleet fleet;
    private final SoakLoad load;
    private final List<SoakSample> samples = new ArrayList<>();
    private int endedByThemselves;

    SoakSampler(SoakPlace place, SoakFleet fleet, SoakLoad load) {
        this.place = place;
        this.fleet = fleet;
        this.load = load;
    }

    List<SoakSample> samples() {
        return List.copyOf(samples);
    }

    int endedByThemselves() {
        return endedByThemselves;
    }

    void sample(double minute) throws IOException {
        Map<SoakMetric, Double> figures = new EnumMap<>(SoakMetric.class);
        long added = load.added();
        EffectRows.Checked checked = fleet.check();
        figures.put(SoakMetric.OPEN, (double) Math.max(0, added - checked.frontier()));
        Histogram waits = fleet.takeWaits();
        if (waits.getTotalCount() > 0) {
            figures.put(SoakMetric.START_P50, (double) waits.getValueAtPercentile(P50));
            figures.put(SoakMetric.START_P99, (double) waits.getValueAtPercentile(P99));
        }
        ProcessFigures.of(pids(fleet.servers())).ifPresent(used -> {
            figures.put(SoakMetric.SERVER_MEMORY, used.memory());
            figures.put(SoakMetric.SERVER_FILES, used.files());
            figures.put(SoakMetric.SERVER_THREADS, used.threads());
        });
        ProcessFigures.of(pids(fleet.workers())).ifPresent(used -> {
            figures.put(SoakMetric.WORKER_MEMORY, used.memory());
            figures.put(SoakMetric.WORKER_FILES, used.files());
            figures.put(SoakMetric.WORKER_THREADS, used.threads());
        });
        place.cluster()
                .flatMap(cluster -> ProcessFigures.of(cluster.pids()))
                .ifPresent(used -> figures.put(SoakMetric.CLUSTER_MEMORY, used.memory()));
        if (samples.size() % CENSUS_EVERY == 0) {
            fleet.census(figures);
        }
        if (samples.size() % PRINT_EVERY == 0) {
            System.err.printf(
                    "%.2f min: %d added, %d ended, %d doubled; %s%n",
                    minute, added, checked.frontier(), checked.doubled(), figures);
        }
        samples.add(new SoakSample(minute, figures));
        endedByThemselves += fleet.startEnded();
    }

    private static Stream<OptionalLong> pids(List<SoakProcess> processes) {
        return processes.stream().map(SoakProcess::pid);
    }
}
