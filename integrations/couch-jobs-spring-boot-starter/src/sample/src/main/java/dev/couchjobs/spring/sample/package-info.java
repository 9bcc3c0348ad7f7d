/** An application that sends a mail to each new user. */
@NullMarked
package dev.couchjobs.spring.sample;

import org.jspecify.annotations.NullMarked;
