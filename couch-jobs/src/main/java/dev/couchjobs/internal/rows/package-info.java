/** Bytes, keys, versionstamps, the layout, and what all rows of a transaction share. It knows no feature. */
@NullMarked
package dev.couchjobs.internal.rows;

import org.jspecify.annotations.NullMarked;
