package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.loop.DurationText;
import java.time.Duration;

/**
 * The HTTP requests that the operator of a node allows.
 *
 * @param hosts the hosts to which they may go
 * @param timeout the default time limit, with redirects and body
 * @param requestLimit the size limit of the body of a request, in bytes
 * @param outputLimit how many bytes of an answer's body are read and kept
 */
public record HttpSettings(HostAllowList hosts, Duration timeout, int requestLimit, int outputLimit) {

    /** The default time limit of a request. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    /** The default size limit of the body of a request. */
    public static final int DEFAULT_REQUEST_LIMIT = 1024 * 1024;

    public HttpSettings {
        if (timeout.isNegative() || timeout.isZero() || requestLimit < 0 || outputLimit < 0) {
            throw new IllegalArgumentException(
                    "timeout " + DurationText.of(timeout) + ", limits " + requestLimit + " and " + outputLimit);
        }
    }

    /** {@return the default settings, which allow no host} */
    public static HttpSettings off() {
        return new HttpSettings(
                HostAllowList.none(), DEFAULT_TIMEOUT, DEFAULT_REQUEST_LIMIT, ShellSettings.DEFAULT_OUTPUT_LIMIT);
    }

    /** {@return these settings with other hosts} */
    public HttpSettings allowing(HostAllowList others) {
        return new HttpSettings(others, timeout, requestLimit, outputLimit);
    }
}
