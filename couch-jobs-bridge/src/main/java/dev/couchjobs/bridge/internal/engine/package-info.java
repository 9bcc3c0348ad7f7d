/** What follows from what a document says: which steps run where, and what is written back. */
@NullMarked
package dev.couchjobs.bridge.internal.engine;

import org.jspecify.annotations.NullMarked;
