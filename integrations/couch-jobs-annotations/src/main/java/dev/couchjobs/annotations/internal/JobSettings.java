package dev.couchjobs.annotations.internal;

import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.lang.model.type.TypeMirror;

/** The values of a {@link dev.couchjobs.annotations.Job} annotation. Those that are empty were not given. */
record JobSettings(
        String type,
        Optional<Duration> timeout,
        Optional<Duration> timeLimit,
        RetryPolicy retry,
        List<TypeMirror> doNotRetryOn,
        OptionalInt concurrency) {}
