package dev.couchjobs;

/**
 * The rows of this instance are laid out by a later version of couch-jobs, in a way that this version does not know:
 * run that version, or a later one. Or the row that says how they are laid out is damaged: the message says how to
 * write it again. Nothing was written.
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
     * A row with the layout of the others that cannot be decoded.
     *
     * @param row the key of the row, as text
     * @param known the newest layout that this code knows
     * @param cause what decoding it failed of
     * @return the error
     */
    public static IncompatibleLayoutException undecodable(String row, long known, Throwable cause) {
        return new IncompatibleLayoutException(row, known, cause);
    }

    private IncompatibleLayoutException(String row, long known, Throwable cause) {
        super(
                "The row with the key layout of this instance cannot be decoded. Nothing was read or written. Restore"
                        + " the row from a backup, or write the tuple (" + known + ", " + known + ", " + known
                        + "), which lets each feature be in use; the latter not if a move to another database had"
                        + " begun. Its key is " + row + ".",
                cause);
        this.layout = 0;
    }

    /**
     * The layout of the rows.
     *
     * @return its number; 0 if the row that says so is damaged
     */
    public long layout() {
        return layout;
    }
}
