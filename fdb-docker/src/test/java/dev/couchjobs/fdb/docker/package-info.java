@NullMarked
package dev.couchjobs.fdb.docker;

import org.jspecify.annotations.NullMarked;
