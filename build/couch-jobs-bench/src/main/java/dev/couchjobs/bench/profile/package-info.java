/** Profiles of a program, from recordings of Java's flight recorder. */
@NullMarked
package dev.couchjobs.bench.profile;

import org.jspecify.annotations.NullMarked;
