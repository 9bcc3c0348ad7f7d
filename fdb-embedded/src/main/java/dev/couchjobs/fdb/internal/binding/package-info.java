/** What every implementation of FoundationDB's interfaces has in common. */
@NullMarked
package dev.couchjobs.fdb.internal.binding;

import org.jspecify.annotations.NullMarked;
