@NullMarked
package dev.couchjobs.bench.cluster;

import org.jspecify.annotations.NullMarked;
