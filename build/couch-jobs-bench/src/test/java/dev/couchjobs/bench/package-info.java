@NullMarked
package dev.couchjobs.bench;

import org.jspecify.annotations.NullMarked;
