/** The content of job documents: plan, progress, and the join of two versions. */
@NullMarked
package dev.couchjobs.bridge.internal.document;

import org.jspecify.annotations.NullMarked;
