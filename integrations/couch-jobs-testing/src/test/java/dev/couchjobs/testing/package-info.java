@NullMarked
package dev.couchjobs.testing;

import org.jspecify.annotations.NullMarked;
