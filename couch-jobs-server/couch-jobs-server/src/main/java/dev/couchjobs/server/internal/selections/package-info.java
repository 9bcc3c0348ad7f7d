/** Changes of all jobs that meet a condition: each is itself a job, which a server runs. */
@NullMarked
package dev.couchjobs.server.internal.selections;

import org.jspecify.annotations.NullMarked;
