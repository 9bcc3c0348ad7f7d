/**
 * Which node runs a step: by the type of a job where nodes share a cluster, by claims in documents where they only
 * replicate. Calls the transaction and the store.
 */
@NullMarked
package dev.couchjobs.bridge.internal.claims;

import org.jspecify.annotations.NullMarked;
