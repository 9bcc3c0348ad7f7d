package dev.couchjobs.annotations.internal;

import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.type.TypeMirror;
import org.jspecify.annotations.Nullable;

/** Reads and checks the values of one annotation. The library's own checks decide, each reported at its value. */
final class SettingsReader {
    private static final Duration TIME_LIMIT_MAX = Duration.ofDays(36_500);

    private final Problems problems;
    private final Element method;
    private final Map<String, String> methodsByType;
    private final AnnotationMirror job;
    private final Map<String, AnnotationValue> values;
    private final Map<String, AnnotationValue> retryValues;

    SettingsReader(Problems problems, Element method, AnnotationMirror job, Map<String, String> methodsByType) {
        this.problems = problems;
        this.methodsByType = methodsByType;
        this.method = method;
        this.job = job;
        this.values = given(job);
        AnnotationValue retry = values.get("retry");
        this.retryValues =
                retry != null && retry.getValue() instanceof AnnotationMirror mirror ? given(mirror) : Map.of();
    }

    /** {@return the values that stand in the source, without defaults} */
    private static Map<String, AnnotationValue> given(AnnotationMirror annotation) {
        Map<String, AnnotationValue> values = new HashMap<>();
        annotation
                .getElementValues()
                .forEach((key, value) -> values.put(key.getSimpleName().toString(), value));
        return values;
    }

    JobSettings read() {
        return new JobSettings(
                type(),
                checked(values.get("timeout"), SettingsReader::activityTimeout),
                checked(values.get("timeLimit"), SettingsReader::timeLimit),
                retry(),
                doNotRetryOn(),
                checked(values.get("concurrency"), SettingsReader::concurrency)
                        .map(OptionalInt::of)
                        .orElse(OptionalInt.empty()));
    }

    private String type() {
        return checked(values.get("type"), value -> unusedName((String) value)).orElse("");
    }

    private String unusedName(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of this job type is blank: choose a short, stable name.");
        }
        String checked = JobType.of(name, Object.class).name();
        String other = methodsByType.putIfAbsent(checked, method.getEnclosingElement() + "." + method.getSimpleName());
        if (other != null) {
            throw new IllegalArgumentException("Method " + other + " has job type " + name
                    + " already, and two methods of one type would take each other's jobs: choose another name.");
        }
        return checked;
    }

    private static Duration activityTimeout(Object value) {
        return JobType.of("any", Object.class).activityTimeout(duration(value)).activityTimeout();
    }

    private static Duration timeLimit(Object value) {
        Duration limit = duration(value);
        if (limit.isZero() || limit.isNegative() || limit.compareTo(TIME_LIMIT_MAX) > 0) {
            throw new IllegalArgumentException("A time limit is more than nothing and at most "
                    + TIME_LIMIT_MAX.toDays() + " days; this is " + limit + ". Leave it out if there is to be none.");
        }
        return limit;
    }

    private static int concurrency(Object value) {
        int jobs = (int) value;
        if (jobs < 1) {
            throw new IllegalArgumentException("A worker runs at least one job of a type at once; this is " + jobs
                    + ". Leave concurrency out if there is to be no limit.");
        }
        return jobs;
    }

    /** Changes one value after the other, so that an error is reported at the value that is wrong. */
    private RetryPolicy retry() {
        RetryPolicy policy = RetryPolicy.standard();
        policy = with(policy, "attempts", (before, value) -> before.attempts((int) value));
        policy = with(
                policy,
                "firstPause",
                (before, value) -> before.backoff(duration(value), before.factor(), before.maxDelay()));
        policy = with(
                policy,
                "factor",
                (before, value) -> before.backoff(before.initialDelay(), (double) value, before.maxDelay()));
        policy = with(
                policy,
                "longestPause",
                (before, value) -> before.backoff(before.initialDelay(), before.factor(), duration(value)));
        return with(policy, "jitter", (before, value) -> before.jitter((double) value));
    }

    private RetryPolicy with(RetryPolicy before, String name, BiFunction<RetryPolicy, Object, RetryPolicy> change) {
        return checked(retryValues.get(name), value -> change.apply(before, value))
                .orElse(before);
    }

    /** {@return what is made of a value, empty if it was not given, or is wrong and reported} */
    private <T> Optional<T> checked(@Nullable AnnotationValue value, Function<Object, T> use) {
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(use.apply(value.getValue()));
        } catch (IllegalArgumentException e) {
            problems.report(method, job, value, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private List<TypeMirror> doNotRetryOn() {
        AnnotationValue value = retryValues.get("doNotRetryOn");
        return value != null && value.getValue() instanceof List<?> errors
                ? errors.stream()
                        .map(error -> ((AnnotationValue) error).getValue())
                        .filter(TypeMirror.class::isInstance)
                        .map(TypeMirror.class::cast)
                        .toList()
                : List.of();
    }

    private static Duration duration(Object value) {
        try {
            return Duration.parse((String) value);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "\"" + value + "\" is no ISO-8601 duration: write PT30S for 30 seconds, PT5M for 5 minutes, P1D for"
                            + " a day.",
                    e);
        }
    }
}
