package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import java.util.Objects;

/**
 * A job that another one waits for: it is to have finished successfully before the other may be accepted.
 *
 * @param typeName the name of its type
 * @param jobId its id
 * @param policy what happens to the job that waits if this one does not succeed
 */
public record Dependency(String typeName, String jobId, DependencyPolicy policy) {
    /**
     * Checks that there can be such a job.
     *
     * @param typeName the name of its type
     * @param jobId its id
     * @param policy what happens to the job that waits if this one does not succeed
     * @throws IllegalArgumentException if no type can have that name, or no job that id
     */
    public Dependency {
        Name.TYPE.known(typeName);
        Name.JOB.known(jobId);
        Objects.requireNonNull(policy, "policy");
    }

    /**
     * A dependency with the policy {@link DependencyPolicy#WAIT}: the job that waits does not run unless this one
     * succeeds.
     *
     * @param type the type of the job to wait for
     * @param jobId its id
     * @return the dependency
     * @throws IllegalArgumentException if no job can have that id
     */
    public static Dependency on(JobType<?, ?> type, String jobId) {
        return new Dependency(type.name(), jobId, DependencyPolicy.WAIT);
    }

    /**
     * The same dependency with another policy.
     *
     * @param policy what happens to the job that waits if this one does not succeed
     * @return the dependency
     */
    public Dependency ifUnsuccessful(DependencyPolicy policy) {
        return new Dependency(typeName, jobId, policy);
    }

    /** {@return type and id, as errors name the job} */
    @Override
    public String toString() {
        return typeName + "/" + jobId;
    }
}
