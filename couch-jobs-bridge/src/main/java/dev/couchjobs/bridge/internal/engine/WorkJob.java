package dev.couchjobs.bridge.internal.engine;

/**
 * The data of a job that does the work of an item.
 *
 * @param document the id of the item's document
 */
record WorkJob(String document) {}
