package dev.couchjobs.bench.thesis;

/** The join mode of a test. */
enum TestedJoinMode {
    /** All nodes share one database of jobs. */
    SHARED,
    /** The nodes share only replicated documents, as in the thesis. */
    REPLICATED
}
