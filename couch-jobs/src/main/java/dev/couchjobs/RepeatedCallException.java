package dev.couchjobs;

/**
 * A call of {@link Processor#accept} claims {@linkplain AcceptOptions#once once}, and it has claimed before, or may
 * have done so in a transaction whose result is unknown. The row of the call has its claims.
 */
public final class RepeatedCallException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Of a call that has claimed.
     *
     * @param call the id of the call
     */
    public RepeatedCallException(String call) {
        super("The call " + call + " has claimed jobs before: read them from its row.");
    }
}
