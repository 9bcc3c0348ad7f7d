/** Opening a database, whichever it is: in memory, in a directory, or a FoundationDB cluster. */
@NullMarked
package dev.couchjobs.fdb;

import org.jspecify.annotations.NullMarked;
