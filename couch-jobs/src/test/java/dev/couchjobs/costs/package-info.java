/** What each verb and each loop asks of the database, measured, and compared with what {@code docs/costs.md} says. */
@NullMarked
package dev.couchjobs.costs;

import org.jspecify.annotations.NullMarked;
