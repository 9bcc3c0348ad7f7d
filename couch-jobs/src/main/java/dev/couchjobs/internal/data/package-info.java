/**
 * The data model of RFC 007: keys, rows, indexes, payloads and the change feed, and the one place that writes them. Not
 * for users.
 */
@NullMarked
package dev.couchjobs.internal.data;

import org.jspecify.annotations.NullMarked;
