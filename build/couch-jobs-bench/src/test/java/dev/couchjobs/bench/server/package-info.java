@NullMarked
package dev.couchjobs.bench.server;

import org.jspecify.annotations.NullMarked;
