package dev.couchjobs.bridge.internal.transaction;

/**
 * The data of a job that works on a work item.
 *
 * @param document the id of the item's document
 */
public record WorkJob(String document) {}
