/** What was measured, as tables, as JSON and as a plot. */
@NullMarked
package dev.couchjobs.bench.report;

import org.jspecify.annotations.NullMarked;
