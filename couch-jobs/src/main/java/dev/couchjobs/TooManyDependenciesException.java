package dev.couchjobs;

/** A job was to wait for more jobs than one transaction can look at. Nothing was changed. */
public final class TooManyDependenciesException extends DependencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param count how many dependencies were given
     * @param max how many there may be
     */
    public TooManyDependenciesException(int count, int max) {
        super("A job can wait for at most " + max + " others; these are " + count
                + ". Let some jobs in between wait for a part of them each, and this one for those.");
    }
}
