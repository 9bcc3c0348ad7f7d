package dev.couchjobs.server.internal.cli;

import java.io.Serial;
import java.util.List;

/** A command that has not done what it was asked for: the exit status, what happened, and what to do. */
final class Failure extends RuntimeException {
    /** It could not be done. */
    static final int FAILED = 1;
    /** The command line is wrong. */
    static final int USAGE = 2;
    /** There is no such thing, or nothing was changed. */
    static final int NOTHING = 3;
    /** Of {@code serve} alone, by Java's {@code -XX:+ExitOnOutOfMemoryError}: the process lacks memory. */
    static final int NO_MEMORY = 3;
    /** The server does not let the caller do it. */
    static final int REFUSED = 4;

    /** The database of a server has stopped for good: only a new process can open it again. */
    static final int STOPPED = 5;

    @Serial
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String code;
    private final transient List<String> details;

    Failure(int exitCode, String title, List<String> details) {
        this(exitCode, "", title, details);
    }

    /** An error that the server has replied, with the code of its problem. */
    Failure(int exitCode, String code, String title, List<String> details) {
        super(title);
        this.code = code;
        this.exitCode = exitCode;
        this.details = List.copyOf(details);
    }

    Failure(int exitCode, String title, String... details) {
        this(exitCode, title, List.of(details));
    }

    int exitCode() {
        return exitCode;
    }

    /** {@return the code of the server's problem; empty if the server has not replied one} */
    String code() {
        return code;
    }

    String title() {
        return String.valueOf(getMessage());
    }

    List<String> details() {
        return details;
    }
}
