/** Sequences: jobs that run one after the other. */
@NullMarked
package dev.couchjobs.internal.sequences;

import org.jspecify.annotations.NullMarked;
