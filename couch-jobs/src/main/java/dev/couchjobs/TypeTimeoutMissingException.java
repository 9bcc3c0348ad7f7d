package dev.couchjobs;

/** A job was added to a type that has no activity timeout, so that a dead processor would never be noticed. */
public final class TypeTimeoutMissingException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the type
     */
    public TypeTimeoutMissingException(String typeName) {
        super("Job type " + typeName
                + " has no activity timeout. Call setTypeTimeout once for the type before its first"
                + " job is added.");
        this.typeName = typeName;
    }

    /** {@return the name of the type} */
    public String typeName() {
        return typeName;
    }
}
