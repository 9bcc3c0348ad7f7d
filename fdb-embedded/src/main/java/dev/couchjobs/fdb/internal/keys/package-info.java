/**
 * Keys, ranges, versionstamps, atomic mutations, and the limits that FoundationDB sets for them.
 */
@NullMarked
package dev.couchjobs.fdb.internal.keys;

import org.jspecify.annotations.NullMarked;
