package dev.couchjobs;

/**
 * The rows of this instance are laid out by a later version of couch-jobs, in a way that this version does not know.
 * Nothing was written. Run that version, or a later one.
 */
public final class IncompatibleLayoutException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final long layout;

    /**
     * Made by couch-jobs.
     *
     * @param layout the layout of the rows
     * @param needed the oldest layout that code has to know for what was wanted
     * @param known the newest layout that this code knows
     * @param how what is not possible: that they be read, or written
     */
    public IncompatibleLayoutException(long layout, long needed, long known, String how) {
        super("The rows of this instance have key layout " + layout + ", and are " + how + " by code that knows layout "
                + needed + " or later; this version of couch-jobs knows layouts up to " + known
                + ". Nothing was written. Run the version of couch-jobs that upgraded the layout, or a later one.");
        this.layout = layout;
    }

    /**
     * The layout of the rows.
     *
     * @return its number
     */
    public long layout() {
        return layout;
    }
}
