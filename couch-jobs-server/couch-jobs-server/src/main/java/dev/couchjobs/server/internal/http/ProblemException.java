package dev.couchjobs.server.internal.http;

import java.io.Serial;

/** Ends a request with a problem. It has no stack trace: a wrong request is no fault of the server. */
public final class ProblemException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.title(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
