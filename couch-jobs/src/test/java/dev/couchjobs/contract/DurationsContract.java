package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Health;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.ResultTimeoutException;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Subscription;
import dev.couchjobs.TransactionTooLongException;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.Durations;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every duration that the public API takes, found by reflection: a value is accepted and works, or is refused at once
 * with an error that names the parameter.
 */
@SuppressWarnings("FutureReturnValueIgnored") // whoever runs a call gets what it returns
class DurationsContract extends JobsContract {
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));

    private static final JobType<WorkData, Void> AWAITED = JobType.of("awaited", WorkData.class);
    private static final JobType<WorkData, ?> HANDLED = JobType.of("handled", WorkData.class);
    private static final JobType<WorkData, ?> LIMITED = JobType.of("limited", WorkData.class);

    private static final List<Duration> VALUES = Arrays.asList(
            null,
            Duration.ZERO,
            Duration.ofNanos(-1),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofNanos(1),
            Duration.ofMillis(1_500),
            Duration.ofSeconds(1),
            Duration.ofDays(36_500),
            Duration.ofDays(36_500).plusNanos(1),
            Duration.ofMillis(Long.MAX_VALUE),
            ChronoUnit.FOREVER.getDuration());

    /** What says how long something took; made by the library. */
    private static final Set<Class<?>> REPORTS = Set.of(
            ClockSkew.class,
            Health.DueJob.class,
            JobsListener.Ended.class,
            JobsListener.HeartbeatsLate.class,
            JobsListener.TransactionEnded.class,
            ResultTimeoutException.class,
            TransactionTooLongException.class);

    /** The names of a record's parameters that its errors call as its users do. */
    private static final Map<String, String> NAMES = Map.of(
            "initialDelay", "firstPause", "maxDelay", "longestPause", "first", "firstPause", "longest", "longest");

    private int priority;

    private interface Call {
        Object with(Duration duration);
    }

    private Map<String, Call> calls() {
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("CouchJobsBuilder.transactionTimeout(timeout)", this::withTransactionTimeout);
        calls.put(
                "CouchJobsBuilder.feedRetention(retention)",
                time -> CouchJobs.builder(database).feedRetention(time));
        calls.put(
                "CouchJobsBuilder.maxClockSkew(bound)",
                time -> CouchJobs.builder(database).maxClockSkew(time));
        calls.put("WorkerBuilder.timeLimit(limit)", time -> jobs.worker().timeLimit(INDEX, time));
        calls.put("WorkerBuilder.shutdownTimeout(time)", this::closedWithin);
        calls.put("Processor.snooze(pause)", time -> jobs.processor().snooze(database, claimed(), time));
        calls.put("JobContext.snooze(pause)", this::snoozedInAHandler);
        calls.put(
                "JobChanges.await(type,timeout)",
                time -> jobs.changes().await(INDEX, await(jobs.changes().now(database)), time));
        calls.put(
                "JobChanges.await(timeout)",
                time -> jobs.changes().await(await(jobs.changes().now(database)), time));
        calls.put("Subscription.awaitEvent(timeout)", time -> subscribed().awaitEvent(time));
        calls.put("Subscription.awaitEvent(state,timeout)", time -> subscribed().awaitEvent(JobState.RUNNING, time));
        calls.put("Subscription.awaitAny(timeout)", time -> Subscription.awaitAny(List.of(subscribed()), time));
        calls.put(
                "Subscription.awaitAny(state,timeout)",
                time -> Subscription.awaitAny(List.of(subscribed()), JobState.RUNNING, time));
        calls.put("CouchJobs.result(timeout)", time -> jobs.result(INDEX, finished(), time) == null);
        calls.put("CouchJobs.resultAsync(timeout)", time -> jobs.resultAsync(INDEX, finished(), time));
        calls.put(
                "AcceptOptions.timeout(timeout)",
                time -> jobs.processor()
                        .accept(AWAITED, AcceptOptions.defaults().timeout(time)));
        calls.put("Unique.within(time)", this::addedTwiceWithin);
        calls.put("Retention.of(time)", time -> finishedWith(Retention.of(time)));
        calls.put(
                "Retention.failed(time)",
                time -> finishedWith(Retention.standard().failed(time)));
        calls.put("Rate(period)", time -> new Rate(1, time, 0));
        calls.put("Rate.perWindow(period)", time -> limited(Rate.perWindow(1, time)));
        calls.put("Rate.evenly(period)", time -> limited(Rate.evenly(1, time, 1)));
        calls.put("Schedule.every(period)", time -> put(Schedule.every("s", time, JOB)));
        calls.put("Schedule.afterEach(pause)", time -> put(Schedule.afterEach("s", time, JOB)));
        calls.put(
                "Schedule.jitter(longest)",
                time -> put(
                        Schedule.cron("s", "0 0 29 2 *", ZoneOffset.UTC, JOB).jitter(time)));
        calls.put(
                "Schedule.skippingAfter(lateness)",
                time -> put(Schedule.cron("s", "0 * * * *", ZoneOffset.UTC, JOB).skippingAfter(time)));
        calls.put("JobType.activityTimeout(timeout)", time -> add(INDEX.activityTimeout(time)));
        calls.put("JobTypes.setTypeTimeout(timeout)", time -> jobs.types().setTypeTimeout(database, LIMITED, time));
        calls.put("RetryPolicy(initialDelay)", time -> new RetryPolicy(2, time, 1, Duration.ZERO, 0));
        calls.put("RetryPolicy(maxDelay)", time -> new RetryPolicy(2, Duration.ZERO, 1, time, 0));
        calls.put(
                "RetryPolicy.backoff(first)",
                time -> failedWith(RetryPolicy.standard().backoff(time, 2, Duration.ofSeconds(1))));
        calls.put(
                "RetryPolicy.backoff(longest)",
                time -> failedWith(RetryPolicy.standard().backoff(Duration.ofSeconds(1), 2, time)));
        calls.put(
                "HealthCheck.timeout(timeout)",
                time -> jobs.health().timeout(time).check());
        calls.put(
                "HealthCheck.dueAtMost(limit)",
                time -> jobs.health().dueAtMost(time).check());
        calls.put("Loop.backOffAtMost(longest)", time -> {
            try (Loop loop = new Loop(
                    "test", Environment.system(), () -> CompletableFuture.completedFuture(Pause.untilWakeUp()))) {
                loop.backOffAtMost(time);
                return loop;
            }
        });
        calls.put("Pause.atMost(duration)", Pause::atMost);
        calls.put("Pause.cappedAt(max)", time -> Pause.untilWakeUp().cappedAt(time));
        return calls;
    }

    // Uses of a duration

    private Object withTransactionTimeout(Duration time) {
        return CouchJobs.builder(database).transactionTimeout(time);
    }

    private Object closedWithin(Duration time) {
        Worker worker =
                jobs.worker().process(AWAITED, job -> {}).shutdownTimeout(time).start();
        worker.close();
        return worker;
    }

    private Object add(JobType<WorkData, ?> type) {
        return jobs.add(database, NewJob.of(type, new WorkData(1)));
    }

    private Job<WorkData> claimed() {
        return claimed(INDEX, JOB);
    }

    /** The job is claimed before all that others have left. */
    private Job<WorkData> claimed(JobType<WorkData, ?> type, NewJob<WorkData> job) {
        var unused = await(jobs.add(database, job.priority(++priority)));
        return await(jobs.processor().accept(type)).orElseThrow();
    }

    private Subscription<WorkData> subscribed() {
        String id = jobs.newJobId();
        await(jobs.add(database, INDEX, id, new WorkData(1)));
        return subscribe(id);
    }

    private String finished() {
        Job<WorkData> job = claimed();
        await(jobs.processor().finish(database, job));
        return job.id();
    }

    @SuppressWarnings("NullAway") // a job without a result
    private Object snoozedInAHandler(Duration time) {
        CompletableFuture<Object> snoozed = new CompletableFuture<>();
        try (Worker worker = jobs.worker()
                .handle(HANDLED, (JobContext<WorkData> context) -> {
                    try {
                        context.snooze(time);
                        snoozed.complete(time);
                    } catch (RuntimeException e) {
                        snoozed.completeExceptionally(e);
                    }
                    return null;
                })
                .start()) {
            await(jobs.add(database, HANDLED, jobs.newJobId(), new WorkData(1)));
            assertThat(worker).isNotNull();
            return await(snoozed);
        }
    }

    private Object addedTwiceWithin(Duration time) {
        Unique rule = Unique.by(jobs.newJobId()).within(time);
        var unused = await(jobs.add(database, JOB.unique(rule)));
        return jobs.add(database, JOB.unique(rule));
    }

    private Object finishedWith(Retention retention) {
        JobType<WorkData, ?> type = INDEX.retention(retention);
        return jobs.processor().finish(database, claimed(type, NewJob.of(type, new WorkData(1))));
    }

    private Object failedWith(RetryPolicy policy) {
        return jobs.processor()
                .fail(database, claimed(INDEX, JOB.retry(policy)), new IllegalStateException("no paper"));
    }

    private Object limited(Rate rate) {
        return jobs.limits().setRate(database, LIMITED, rate);
    }

    private Object put(Schedule schedule) {
        return jobs.schedules().put(database, schedule);
    }

    // The enumeration

    private static Stream<Class<?>> publicClasses(String folder) {
        try {
            Path classes = Path.of(CouchJobs.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolve("dev/couchjobs")
                    .resolve(folder);
            try (Stream<Path> files = Files.list(classes)) {
                return files
                        .map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                        .map(file -> "dev.couchjobs." + (folder.isEmpty() ? "" : folder + ".")
                                + file.substring(0, file.length() - ".class".length()))
                        .<Class<?>>map(DurationsContract::load)
                        .filter(DurationsContract::isPublic)
                        .toList()
                        .stream();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, CouchJobs.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static Stream<Executable> members(Class<?> type) {
        return Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredMethods())
                                .filter(method -> !method.isBridge() && !method.isSynthetic()),
                        Arrays.stream(type.getDeclaredConstructors()))
                .filter(member -> Modifier.isPublic(member.getModifiers()));
    }

    /** {@return a name for each duration that a member takes} */
    private static Stream<String> durationsOf(Executable member) {
        String type = member.getDeclaringClass().getSimpleName();
        String name = member instanceof Constructor<?> ? type : type + "." + member.getName();
        boolean isOverloaded = member instanceof Method
                && Arrays.stream(member.getDeclaringClass().getDeclaredMethods())
                                .filter(other -> other.getName().equals(member.getName()))
                                .filter(other -> !other.isSynthetic())
                                .count()
                        > 1;
        String others = isOverloaded
                ? Arrays.stream(member.getParameters())
                        .map(Parameter::getName)
                        .filter(each -> Set.of("type", "state").contains(each))
                        .map(each -> each + ",")
                        .reduce("", String::concat)
                : "";
        return Arrays.stream(member.getParameters())
                .filter(parameter -> parameter.getType() == Duration.class)
                .map(parameter -> name + "(" + others + parameter.getName() + ")");
    }

    @Test
    void everyDurationOfThePublicApiIsTried() {
        Set<String> found = new TreeSet<>();
        Stream.of("", "loop")
                .flatMap(DurationsContract::publicClasses)
                .filter(type -> !REPORTS.contains(type))
                .filter(type ->
                        type != DurationText.class && type != Durations.class) // what checks them, and prints them
                .flatMap(DurationsContract::members)
                .flatMap(DurationsContract::durationsOf)
                .forEach(found::add);

        assertThat(calls().keySet()).containsExactlyInAnyOrderElementsOf(found);
    }

    @Test
    void eachIsAcceptedAndWorksOrIsRefusedAtOnceByName() {
        Set<String> faults = new TreeSet<>();
        calls().forEach((name, call) -> VALUES.forEach(value ->
                fault(name, call, value).ifPresent(fault -> faults.add(name + " with " + value + ": " + fault))));

        assertThat(faults).isEmpty();
    }

    private static Optional<String> fault(String name, Call call, Duration value) {
        try {
            Object result = call.with(value);
            if (value == null) {
                return Optional.of("null is accepted");
            }
            if (result instanceof CompletableFuture<?> future) {
                Throwable error = value.compareTo(Duration.ofMillis(1)) > 0 && isWait(name)
                        ? errorNow(future)
                        : failureOrNull(future);
                return Optional.ofNullable(error).map(Object::toString);
            }
            return Optional.empty();
        } catch (NullPointerException | IllegalArgumentException e) {
            return isNamed(name, e) ? Optional.empty() : Optional.of(e.toString());
        } catch (ResultTimeoutException e) {
            return Optional.empty(); // the time was up
        } catch (RuntimeException e) {
            Throwable cause = e.getCause();
            boolean isRefusal = cause instanceof NullPointerException || cause instanceof IllegalArgumentException;
            return isRefusal && cause != null && isNamed(name, cause) ? Optional.empty() : Optional.of(e.toString());
        }
    }

    private static boolean isWait(String name) {
        return name.contains("await") || name.startsWith("AcceptOptions");
    }

    /** {@return the error of a wait that may go on, and is ended} */
    private static @Nullable Throwable errorNow(CompletableFuture<?> wait) {
        Throwable error = wait.isCompletedExceptionally() ? failureOf(wait) : null;
        wait.cancel(false);
        return error;
    }

    private static @Nullable Throwable failureOrNull(CompletableFuture<?> future) {
        try {
            await(future);
            return null;
        } catch (CompletionException | AssertionError e) {
            return e.getCause() instanceof ResultTimeoutException ? null : e;
        }
    }

    private static boolean isNamed(String name, Throwable error) {
        String parameter = name.replaceAll(".*[(,]|\\)", "");
        String method = name.replaceAll("\\(.*|.*\\.", "");
        String message = String.valueOf(error.getMessage());
        return Stream.of(parameter, method, NAMES.getOrDefault(parameter, parameter))
                .anyMatch(message::contains);
    }
}
