package dev.couchjobs;

/**
 * A job was to wait for one that is not there: it was never added, or it has been removed. Add it first, or in the same
 * transaction, or say with {@link DependencyPolicy#EXPECT} or {@link DependencyPolicy#IGNORE} that it need not be
 * there.
 */
public final class DependencyNotFoundException extends DependencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param dependent the job that was to wait, as type and id
     * @param dependency the job that is not there, as type and id
     */
    public DependencyNotFoundException(String dependent, String dependency) {
        super("Job " + dependent + " cannot wait for " + dependency
                + ", which is not there. Add it before or in the same transaction, or give the dependency the policy"
                + " EXPECT (it will be added later) or IGNORE (it may have been removed after it was done).");
    }
}
