@NullMarked
package dev.couchjobs.fdb;

import org.jspecify.annotations.NullMarked;
