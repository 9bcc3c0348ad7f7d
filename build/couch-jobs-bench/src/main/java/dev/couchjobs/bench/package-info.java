/**
 * Compares the embedded engine with its peers. {@link dev.couchjobs.bench.Benchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench;

import org.jspecify.annotations.NullMarked;
