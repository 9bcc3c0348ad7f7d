/** What each verb and each loop of topics asks of the database, compared with what {@code docs/costs.md} says. */
@NullMarked
package dev.couchjobs.topics.costs;

import org.jspecify.annotations.NullMarked;
