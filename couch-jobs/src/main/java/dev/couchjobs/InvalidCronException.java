package dev.couchjobs;

/** A cron expression that cannot be read, or that names no time that ever comes. */
public final class InvalidCronException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String expression;

    /**
     * Made by {@link Schedule#cron}.
     *
     * @param expression the expression
     * @param reason what is wrong with it and what to write instead
     */
    public InvalidCronException(String expression, String reason) {
        super("The cron expression \"" + expression + "\" is not valid. " + reason);
        this.expression = expression;
    }

    /** {@return the expression as it was given} */
    public String expression() {
        return expression;
    }
}
