/**
 * The way of a commit: the pipeline, the sequencer that gives versions to batches, the resolver that finds conflicts,
 * and the publisher. Calls storage, versions and watches; knows no client.
 */
@NullMarked
package dev.couchjobs.fdb.internal.commit;

import org.jspecify.annotations.NullMarked;
