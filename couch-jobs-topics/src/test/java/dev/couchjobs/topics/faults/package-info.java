/** What topics make of an environment and a database that throw. */
@NullMarked
package dev.couchjobs.topics.faults;

import org.jspecify.annotations.NullMarked;
