@NullMarked
package dev.couchjobs.bench.soak;

import org.jspecify.annotations.NullMarked;
