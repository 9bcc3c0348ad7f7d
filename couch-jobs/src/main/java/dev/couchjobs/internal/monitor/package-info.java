/** The activity monitor: jobs whose processor went silent become pending again. Not for users. */
@NullMarked
package dev.couchjobs.internal.monitor;

import org.jspecify.annotations.NullMarked;
