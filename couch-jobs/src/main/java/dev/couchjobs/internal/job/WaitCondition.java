package dev.couchjobs.internal.job;

import dev.couchjobs.DependencyPolicy;

/** The event of its dependency that ends the wait of a dependent. */
public enum WaitCondition {
    /** Any end of the dependency: success, failure, cancellation or removal. */
    END,
    /** Only a success. After any other end the dependent waits until the dependency runs again and succeeds. */
    SUCCESS;

    /** {@return the wait condition of a policy} */
    public static WaitCondition of(DependencyPolicy policy) {
        return switch (policy) {
            case FAIL, IGNORE -> END;
            case WAIT, EXPECT -> SUCCESS;
        };
    }
}
