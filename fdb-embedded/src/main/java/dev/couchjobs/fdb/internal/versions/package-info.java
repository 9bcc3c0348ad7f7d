/**
 * The contents of the database by version: ordered maps, edits of them, and the window of versions that transactions
 * may read.
 */
@NullMarked
package dev.couchjobs.fdb.internal.versions;

import org.jspecify.annotations.NullMarked;
