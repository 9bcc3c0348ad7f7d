package dev.couchjobs.server.internal.http;

/** Tells errors that come from too little memory from those of what was stored or sent. */
public final class MemoryShortage {
    /** A user's class may be its own cause. */
    private static final int CAUSES_MAX = 20;

    private static final Problem PROBLEM = Problem.of(503, "busy", "The server lacks memory.")
            .detail("Try again; ask for less at once, or send less.")
            .header("Retry-After", "1");

    private MemoryShortage() {}

    /** {@return whether an error, or one of its causes, is an {@link OutOfMemoryError}} */
    public static boolean isCauseOf(Throwable error) {
        Throwable each = error;
        for (int i = 0; i < CAUSES_MAX && each != null; i++) {
            if (each instanceof OutOfMemoryError) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    public static Problem problem() {
        return PROBLEM;
    }
}
