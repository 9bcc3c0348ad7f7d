@NullMarked
package dev.couchjobs.bench.thesis;

import org.jspecify.annotations.NullMarked;
