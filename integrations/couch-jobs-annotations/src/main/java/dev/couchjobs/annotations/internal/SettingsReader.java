package dev.couchjobs.annotations.internal;

import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.loop.DurationText;
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
    private final PayloadRules rules;
    private final Element method;
    private final Map<String, String> methodsByType;
    private final AnnotationMirror job;
    private final Map<String, AnnotationValue> values;
    private final Map<String, AnnotationValue> retryValues;

    /**
     * A reader for the annotation of a method.
     *
     * @param methodsByType the methods of the compilation by their job types, to which this one is added
     */
    SettingsReader(
            Problems problems,
            PayloadRules rules,
            Element method,
            AnnotationMirror job,
            Map<String, String> methodsByType) {
        this.problems = problems;
        this.rules = rules;
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
                checked(values.get("timeout"), String.class, SettingsReader::activityTimeout),
                checked(values.get("timeLimit"), String.class, SettingsReader::timeLimit),
                retry(),
                doNotRetryOn(),
                checked(values.get("concurrency"), Integer.class, SettingsReader::concurrency)
                        .map(OptionalInt::of)
                        .orElse(OptionalInt.empty()));
    }

    private String type() {
        return checked(values.get("type"), String.class, this::unusedName).orElse("");
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

    private static Duration activityTimeout(String value) {
        return JobType.of("any", Object.class).activityTimeout(duration(value)).activityTimeout();
    }

    private static Duration timeLimit(String value) {
        Duration limit = duration(value);
        if (limit.isZero() || limit.isNegative() || limit.compareTo(TIME_LIMIT_MAX) > 0) {
            throw new IllegalArgumentException("A time limit is more than nothing and at most "
                    + TIME_LIMIT_MAX.toDays() + " days; this is " + DurationText.of(limit)
                    + ". Leave it out if there is to be none.");
        }
        return limit;
    }

    private static int concurrency(int jobs) {
        if (jobs < 1) {
            throw new IllegalArgumentException("A worker runs at least one job of a type at once; this is " + jobs
                    + ". Leave concurrency out if there is to be no limit.");
        }
        return jobs;
    }

    /** Changes one value after the other, so that an error is reported at the value that is wrong. */
    private RetryPolicy retry() {
        RetryPolicy policy = RetryPolicy.standard();
        policy = with(policy, "attempts", Integer.class, RetryPolicy::attempts);
        policy = with(
                policy,
                "firstPause",
                String.class,
                (before, value) -> before.backoff(duration(value), before.factor(), before.maxDelay()));
        policy = with(
                policy,
                "factor",
                Double.class,
                (before, value) -> before.backoff(before.initialDelay(), value, before.maxDelay()));
        policy = with(
                policy,
                "longestPause",
                String.class,
                (before, value) -> before.backoff(before.initialDelay(), before.factor(), duration(value)));
        return with(policy, "jitter", Double.class, RetryPolicy::jitter);
    }

    private <T> RetryPolicy with(
            RetryPolicy before, String name, Class<T> type, BiFunction<RetryPolicy, T, RetryPolicy> change) {
        return checked(retryValues.get(name), type, value -> change.apply(before, value))
                .orElse(before);
    }

    /**
     * {@return what is made of a value; empty if it was not given, is not of the type, which the compiler reports, or
     * is refused, which is reported here}
     */
    private <T, U> Optional<U> checked(@Nullable AnnotationValue value, Class<T> type, Function<T, U> use) {
        if (value == null || !type.isInstance(value.getValue())) {
            return Optional.empty();
        }
        try {
            return Optional.of(use.apply(type.cast(value.getValue())));
        } catch (IllegalArgumentException e) {
            problems.report(method, job, value, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private List<TypeMirror> doNotRetryOn() {
        AnnotationValue value = retryValues.get("doNotRetryOn");
        List<?> errors = value != null && value.getValue() instanceof List<?> list ? list : List.of();
        return errors.stream()
                .map(AnnotationValue.class::cast)
                .flatMap(error -> checked(error, TypeMirror.class, this::visible).stream())
                .toList();
    }

    private TypeMirror visible(TypeMirror error) {
        if (!rules.isVisible(error)) {
            throw new IllegalArgumentException("The generated class cannot name " + TypeNames.of(error)
                    + ": make it and its enclosing classes visible in the package.");
        }
        return error;
    }

    private static Duration duration(String value) {
        try {
            return Duration.parse(value);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "\"" + value + "\" is no ISO-8601 duration: write PT30S for 30 seconds, PT5M for 5 minutes, P1D for"
                            + " a day.",
                    e);
        }
    }
}
