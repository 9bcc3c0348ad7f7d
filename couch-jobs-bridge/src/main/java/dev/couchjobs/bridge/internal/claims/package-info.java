/**
 * Decides which node runs a step: by the types of jobs where nodes share a cluster, by claims in documents where they
 * replicate. Calls the transaction and the store.
 */
@NullMarked
package dev.couchjobs.bridge.internal.claims;

import org.jspecify.annotations.NullMarked;
