package dev.couchjobs.bench.thesis;

/** How the nodes of a test are joined. */
enum TestedJoinMode {
    /** One database of jobs behind all nodes. */
    SHARED,
    /** Nothing in common but replication, as in the thesis. */
    REPLICATED
}
