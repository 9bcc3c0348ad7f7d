/** What nodes report of themselves, and the settings that people want for them: rows that any process reads. */
@NullMarked
package dev.couchjobs.bridge.internal.nodes;

import org.jspecify.annotations.NullMarked;
