/** Opens transactions. */
@NullMarked
package dev.couchjobs.topics.internal.transactions;

import org.jspecify.annotations.NullMarked;
