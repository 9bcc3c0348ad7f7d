package dev.couchjobs.bench;

import org.jspecify.annotations.Nullable;

/**
 * A store to measure: the engine, a peer or the baseline. Every write is on disk when its method returns. Thread-safe.
 */
interface BenchmarkStore extends AutoCloseable {
    /** Loads rows in large batches, without measuring; they are durable when this returns. */
    void load(long keys);

    void put(byte[] key, byte[] value);

    byte @Nullable [] get(byte[] key);

    /** Increments a counter in a transaction that reads and writes it, and retries until it commits. */
    void increment(byte[] key);

    /** Adds one to a counter without reading it. */
    void add(byte[] key);

    long counter(byte[] key);

    /** Reads up to that many rows, keys and values, and returns their number. */
    int range(byte[] from, int rows);

    /** Writes a row under a key greater than those of all earlier appends. */
    void append(byte[] value);

    /** Watches a key, changes it, and returns when the watch fires. */
    void watch(byte[] key);

    @Override
    void close();
}
