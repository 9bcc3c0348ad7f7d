/** An application that sends a mail to each new user. */
@NullMarked
package dev.couchjobs.quarkus.sample;

import org.jspecify.annotations.NullMarked;
