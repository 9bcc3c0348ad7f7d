/** Measures the server: claims over HTTP beside the worker in the process, followers of feeds, and calls that wait. */
@NullMarked
package dev.couchjobs.bench.server;

import org.jspecify.annotations.NullMarked;
