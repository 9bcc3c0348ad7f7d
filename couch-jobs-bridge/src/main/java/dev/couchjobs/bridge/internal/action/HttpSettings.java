package dev.couchjobs.bridge.internal.action;

import java.time.Duration;

/**
 * What the operator of a node allows HTTP requests.
 *
 * @param hosts where they may go
 * @param timeout how long one may take, redirects and body included, unless its step says otherwise
 * @param requestLimit how many bytes the body of a request may have
 * @param outputLimit how many bytes of an answer's body are read and kept
 */
public record HttpSettings(HostAllowList hosts, Duration timeout, int requestLimit, int outputLimit) {

    /** How long a request may take, unless the operator or the step say otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    /** How large the body of a request may be, unless the operator says otherwise. */
    public static final int DEFAULT_REQUEST_LIMIT = 1024 * 1024;

    /** Checks the numbers. */
    public HttpSettings {
        if (timeout.isNegative() || timeout.isZero() || requestLimit < 0 || outputLimit < 0) {
            throw new IllegalArgumentException(
                    "timeout " + timeout + ", limits " + requestLimit + " and " + outputLimit);
        }
    }

    /** {@return what holds where the operator says nothing: no host} */
    public static HttpSettings off() {
        return new HttpSettings(
                HostAllowList.none(), DEFAULT_TIMEOUT, DEFAULT_REQUEST_LIMIT, ShellSettings.DEFAULT_OUTPUT_LIMIT);
    }

    /** {@return the same, with requests to these hosts} */
    public HttpSettings allowing(HostAllowList others) {
        return new HttpSettings(others, timeout, requestLimit, outputLimit);
    }
}
