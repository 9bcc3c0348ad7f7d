package dev.couchjobs.internal.data;

/**
 * Where a job is: the keys of its type, and its id.
 *
 * @param keys the keys of the job's type
 * @param id the id of the job
 */
public record JobRef(TypeKeys keys, String id) {
    byte[] dataKey() {
        return keys.data(id);
    }
}
