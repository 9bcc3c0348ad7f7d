/** What a bridge keeps in its database: documents, what has to be written back, and how far the feed has been read. */
@NullMarked
package dev.couchjobs.bridge.internal.store;

import org.jspecify.annotations.NullMarked;
