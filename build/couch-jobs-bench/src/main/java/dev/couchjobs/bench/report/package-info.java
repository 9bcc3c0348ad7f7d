/** The results of a run as tables, as JSON and as charts. */
@NullMarked
package dev.couchjobs.bench.report;

import org.jspecify.annotations.NullMarked;
