/** Many processes on one database in virtual time, and what they ask of it in all. */
@NullMarked
package dev.couchjobs.fleet;

import org.jspecify.annotations.NullMarked;
