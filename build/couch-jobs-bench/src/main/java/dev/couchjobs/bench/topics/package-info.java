/** Benchmarks of topics, beside other logs. */
@NullMarked
package dev.couchjobs.bench.topics;

import org.jspecify.annotations.NullMarked;
