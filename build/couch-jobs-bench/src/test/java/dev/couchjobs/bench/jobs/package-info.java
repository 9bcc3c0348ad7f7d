@NullMarked
package dev.couchjobs.bench.jobs;

import org.jspecify.annotations.NullMarked;
