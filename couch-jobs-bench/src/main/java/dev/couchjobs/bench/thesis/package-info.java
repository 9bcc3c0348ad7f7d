/**
 * Repeats tests 1 to 4 of the evaluation (section 6) of the thesis whose job document (its Figure 10) {@code
 * rfc/014-job-documents.md} describes. {@link dev.couchjobs.bench.thesis.ThesisBenchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench.thesis;

import org.jspecify.annotations.NullMarked;
