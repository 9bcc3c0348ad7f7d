@NullMarked
package dev.couchjobs.examples;

import org.jspecify.annotations.NullMarked;
