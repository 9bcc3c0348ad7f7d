/** The rows of a bridge: documents, the outbox, and positions in the feed. */
@NullMarked
package dev.couchjobs.bridge.internal.store;

import org.jspecify.annotations.NullMarked;
