/**
 * An in-process FoundationDB behind FoundationDB's own Java interfaces.
 *
 * <p>{@link dev.couchjobs.fdb.embedded.EmbeddedDatabase} is the only class to start from; what it returns is a plain
 * {@link com.apple.foundationdb.Database}.
 */
@NullMarked
package dev.couchjobs.fdb.embedded;

import org.jspecify.annotations.NullMarked;
