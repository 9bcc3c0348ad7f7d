/** The command line. */
@NullMarked
package dev.couchjobs.server.internal.cli;

import org.jspecify.annotations.NullMarked;
