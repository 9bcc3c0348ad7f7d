package dev.couchjobs.bench;

import org.jspecify.annotations.Nullable;

/**
 * What is measured, as the engine and each of its peers do it. Every write is on disk when its method returns. Safe for
 * many threads.
 */
interface BenchmarkStore extends AutoCloseable {
    /** Puts rows in without measuring: in large batches, durable when this returns. */
    void load(long keys);

    void put(byte[] key, byte[] value);

    byte @Nullable [] get(byte[] key);

    /** Reads a counter and writes it back as one more, in one transaction, again and again until that commits. */
    void increment(byte[] key);

    /** Adds one to a counter without reading it. */
    void add(byte[] key);

    long counter(byte[] key);

    /** Reads that many rows, keys and values, and returns how many there were. */
    int range(byte[] from, int rows);

    /** Writes a row under a key greater than all that were appended before. */
    void append(byte[] value);

    /** Waits for a key to change, changes it and returns when it was told. */
    void watch(byte[] key);

    @Override
    void close();
}
