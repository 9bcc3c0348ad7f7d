/**
 * Takes in what CouchDB's feed of changes reports: reads documents, joins them into the store, and adds or removes the
 * jobs that follow. Calls steps and work items to stop what runs.
 */
@NullMarked
package dev.couchjobs.bridge.internal.intake;

import org.jspecify.annotations.NullMarked;
