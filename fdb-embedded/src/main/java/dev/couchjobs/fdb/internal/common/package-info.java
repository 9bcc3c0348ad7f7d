/**
 * FoundationDB's errors, and helpers for futures.
 */
@NullMarked
package dev.couchjobs.fdb.internal.common;

import org.jspecify.annotations.NullMarked;
