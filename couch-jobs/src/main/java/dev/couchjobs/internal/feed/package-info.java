/** The change feed of each type (rfc/009). Not for users. */
@NullMarked
package dev.couchjobs.internal.feed;

import org.jspecify.annotations.NullMarked;
