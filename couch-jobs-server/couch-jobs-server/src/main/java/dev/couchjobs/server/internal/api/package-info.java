/** The operations of the document. */
@NullMarked
package dev.couchjobs.server.internal.api;

import org.jspecify.annotations.NullMarked;
