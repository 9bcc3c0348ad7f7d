package dev.couchjobs;

/** The jobs of a type are not indexed by status, or not all of them yet. */
public final class NotIndexedException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final boolean isBegun;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the type
     * @param isBegun whether the index is being built
     */
    public NotIndexedException(String typeName, boolean isBegun) {
        super(
                isBegun
                        ? "The jobs of type " + typeName + " are being indexed by status: wait until JobStatuses.index"
                                + " has completed, or call it again if its process has died; it goes on."
                        : "The jobs of type " + typeName + " are not indexed by status: call JobStatuses.index for the"
                                + " type once.");
        this.typeName = typeName;
        this.isBegun = isBegun;
    }

    /** {@return the name of the type} */
    public String typeName() {
        return typeName;
    }

    /** {@return whether the index is being built} */
    public boolean isBegun() {
        return isBegun;
    }
}
