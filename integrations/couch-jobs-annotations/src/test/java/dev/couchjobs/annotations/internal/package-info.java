@NullMarked
package dev.couchjobs.annotations.internal;

import org.jspecify.annotations.NullMarked;
