package dev.couchjobs;

/** A job was to wait for itself, or for one that waits for it: neither could ever run. */
public final class DependencyCycleException extends DependencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param dependent the job that was to wait, as type and id
     * @param dependency the job that waits for it, as type and id
     */
    public DependencyCycleException(String dependent, String dependency) {
        super(
                dependent.equals(dependency)
                        ? "Job " + dependent + " cannot wait for itself. Take it out of its dependencies."
                        : "Job " + dependent + " cannot wait for " + dependency
                                + ", which waits for it. Take one of the two dependencies out.");
    }
}
