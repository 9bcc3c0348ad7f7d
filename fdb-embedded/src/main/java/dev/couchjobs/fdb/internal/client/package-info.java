/**
 * FoundationDB's interfaces for the caller: databases, transactions, their options, retries and reads merged with the
 * transaction's own writes. Calls the commit pipeline; reads versions.
 */
@NullMarked
package dev.couchjobs.fdb.internal.client;

import org.jspecify.annotations.NullMarked;
