@NullMarked
package dev.couchjobs.fdb.internal.base;

import org.jspecify.annotations.NullMarked;
