/** The verbs of RFC 007 and those beyond it, as transactions over the data model. Not for users. */
@NullMarked
package dev.couchjobs.internal.verbs;

import org.jspecify.annotations.NullMarked;
