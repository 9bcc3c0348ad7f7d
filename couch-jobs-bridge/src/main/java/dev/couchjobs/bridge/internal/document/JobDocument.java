package dev.couchjobs.bridge.internal.document;

/**
 * A job document: what is to be done, which never changes, and how far it is. Immutable, and without what CouchDB adds:
 * two revisions with the same content are the same.
 *
 * @param id the document's id
 * @param plan what is to be done
 * @param progress how far it is
 */
public record JobDocument(String id, Plan plan, Progress progress) {}
