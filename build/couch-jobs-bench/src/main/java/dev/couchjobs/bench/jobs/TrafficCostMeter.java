package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts the operations on a database, and what its log does. */
final class TrafficCostMeter implements CostMeter {
    private final boolean hasLog;
    private @Nullable CountingDatabase counted;
    private @Nullable LogRecording log;
    private Traffic before = Traffic.NONE;

    /** {@code hasLog} says whether the database has a log. */
    TrafficCostMeter(boolean hasLog) {
        this.hasLog = hasLog;
    }

    /** Wraps the database to measure. */
    Database on(Database database) {
        counted = new CountingDatabase(database);
        return counted.asDatabase();
    }

    private CountingDatabase counted() {
        return Objects.requireNonNull(counted);
    }

    @Override
    public void begin() {
        log = hasLog ? LogRecording.start() : null;
        before = counted().traffic();
    }

    @Override
    public Map<CostFigure, Double> end() {
        Traffic traffic = counted().traffic().since(before);
        Map<CostFigure, Double> costs = new EnumMap<>(CostFigure.class);
        costs.put(CostFigure.TRANSACTIONS, (double) traffic.transactions());
        costs.put(CostFigure.KEYS_WRITTEN, (double) traffic.keysWritten());
        costs.put(CostFigure.BYTES_WRITTEN, (double) traffic.bytesWritten());
        if (log != null) {
            LogRecording.Work work = log.stop();
            costs.put(CostFigure.LOGGED, (double) work.bytes());
            costs.put(CostFigure.SYNCS, (double) work.syncs());
        }
        return costs;
    }
}
