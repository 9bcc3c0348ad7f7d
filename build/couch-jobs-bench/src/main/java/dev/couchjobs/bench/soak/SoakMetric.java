package dev.couchjobs.bench.soak;

/** What is sampled. Some of it must not grow. */
enum SoakMetric {
    START_P50("start, p50", "ms", 0),
    START_P99("start, p99", "ms", 0),
    OPEN("jobs added and not ended", "jobs", 0),
    SERVER_MEMORY("memory of servers", "MiB", 64),
    SERVER_HEAP("heap of servers after a collection", "MiB", 16),
    SERVER_FILES("open files of servers", "files", 32),
    SERVER_THREADS("threads of servers", "threads", 16),
    WORKER_MEMORY("memory of workers", "MiB", 64),
    WORKER_FILES("open files of workers", "files", 16),
    WORKER_THREADS("threads of workers", "threads", 16),
    CLUSTER_MEMORY("memory of the cluster's processes", "MiB", 0),
    ROWS("rows", "rows", 10_000),
    ROW_BYTES("bytes of rows", "MiB", 4);

    final String label;
    final String unit;
    private final double slack;

    SoakMetric(String label, String unit, double slack) {
        this.label = label;
        this.unit = unit;
        this.slack = slack;
    }

    boolean isBounded() {
        return slack > 0;
    }

    double slack() {
        return slack;
    }
}
