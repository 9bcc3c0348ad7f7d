/** What the API says of jobs, in JSON. */
@NullMarked
package dev.couchjobs.server.internal.json;

import org.jspecify.annotations.NullMarked;
