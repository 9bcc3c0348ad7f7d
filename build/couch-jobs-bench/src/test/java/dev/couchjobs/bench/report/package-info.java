@NullMarked
package dev.couchjobs.bench.report;

import org.jspecify.annotations.NullMarked;
