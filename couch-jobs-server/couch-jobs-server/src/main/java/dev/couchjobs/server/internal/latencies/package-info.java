/** How long jobs wait and run: samples, for charts. */
@NullMarked
package dev.couchjobs.server.internal.latencies;

import org.jspecify.annotations.NullMarked;
