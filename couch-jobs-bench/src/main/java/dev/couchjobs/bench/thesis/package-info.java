/**
 * The evaluation of the thesis that the bridge is after, tests 1 to 4, done again. {@link
 * dev.couchjobs.bench.thesis.ThesisBenchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench.thesis;

import org.jspecify.annotations.NullMarked;
