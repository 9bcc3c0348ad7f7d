/**
 * Repeats tests 1 to 4 of the evaluation (section 6) of Simon Unge, <i>Implementing a eventual consistency job
 * distribution with CouchDB</i>, Uppsala University, whose job document {@code rfc/014-job-documents.md} describes.
 * {@link dev.couchjobs.bench.thesis.ThesisBenchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench.thesis;

import org.jspecify.annotations.NullMarked;
