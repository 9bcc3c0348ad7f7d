/** Measures where jobs on a cluster stop, on a cluster of several processes that it starts on this machine. */
@NullMarked
package dev.couchjobs.bench.cluster;

import org.jspecify.annotations.NullMarked;
