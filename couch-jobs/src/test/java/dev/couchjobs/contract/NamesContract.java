package dev.couchjobs.contract;

import static dev.couchjobs.contract.Futures.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadEncryption;
import dev.couchjobs.Rate;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every name, key and id that a caller gives is checked: strictly if it is new, and else whether rows may have it. */
@SuppressWarnings("FutureReturnValueIgnored") // made awaits each of them
class NamesContract extends JobsContract {
    private static final List<String> IMPOSSIBLE = List.of("", "x".repeat(120_000), "\uD800", "a\uDC00b");
    private static final List<String> UNSHOWN =
            List.of(".", "..", "\u0000", "a\nb", "\r", "a\tb", "\u001b[31m", "\u007f", "\u0085", "\u2028", "\u2029");

    private static final SecretKey KEY = new SecretKeySpec(new byte[32], "AES");
    private static final Duration DAY = Duration.ofDays(1);
    private static final UUID LOCK = new UUID(1, 2);
    private static final PageRequest PAGE = PageRequest.of(10);

    /** Methods that take a text which is no name. */
    private static final Set<String> OTHER_TEXTS = Set.of(
            "JobContext.cancel",
            "JobContext.progress",
            "JobSelection.cancel",
            "JobTypes.pause",
            "JobsMove.of",
            "PageRequest.after",
            "Processor.cancel",
            "Processor.fail",
            "Processor.progress",
            "QuarantinedRows.remove",
            "QuarantinedRows.restore",
            "RawPayload.json",
            "RawPayload.of",
            "IncompatibleLayoutException.undecodable",
            "UndecodableRowException.of",
            "UndecodableRowException.ofRules");

    /** What is done with a name. */
    private interface Call extends Function<String, @Nullable Object> {}

    private static NewJob<WorkData> job() {
        return NewJob.of(INDEX, new WorkData(1));
    }

    private static RemoteWorker remote(String name, String host, String version, String type) {
        return new RemoteWorker(name, LOCK, host, version, List.of(type), 1, 0, false, Instant.EPOCH);
    }

    /** Calls by which a name becomes known. */
    private Map<String, Call> naming() {
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("AcceptOptions.by", AcceptOptions.defaults()::by);
        calls.put("AcceptOptions.once", name -> AcceptOptions.defaults().once(new byte[] {1}, name));
        calls.put("Batch.of", Batch::of);
        calls.put("CouchJobs.add", name -> jobs.add(database, INDEX, name, new WorkData(1)));
        calls.put("CouchJobsBuilder.name", name -> CouchJobs.builder(database).name(name));
        calls.put(
                "CouchJobsBuilder.transactionTag",
                name -> CouchJobs.builder(database).transactionTag(name));
        calls.put(
                "NewJob.after, expecting",
                name -> job().after(Dependency.on(INDEX, name).ifUnsuccessful(DependencyPolicy.EXPECT)));
        calls.put(
                "NewJob.after, expecting a type",
                name -> job().after(new Dependency(name, "a", DependencyPolicy.EXPECT)));
        calls.put("NewJob.batch", job()::batch);
        calls.put("NewJob.header", name -> job().header(name, "a"));
        calls.put("NewJob.id", job()::id);
        calls.put("NewJob.limitKey", job()::limitKey);
        calls.put("NewJob.sequence", job()::sequence);
        calls.put("NewJob.sequencePassingFailure", job()::sequencePassingFailure);
        calls.put("NewJob.tags", job()::tags);
        calls.put("NewJob.turnKey", job()::turnKey);
        calls.put("JobType.of", name -> JobType.of(name, WorkData.class));
        calls.put("Limits.pause", name -> jobs.limits().pause(database, INDEX, name));
        calls.put("Limits.set", name -> jobs.limits().set(database, INDEX, name, 1));
        calls.put("Limits.setRate", name -> jobs.limits().setRate(database, INDEX, name, new Rate(1, DAY, 1)));
        calls.put("Limits.setWeight", name -> jobs.limits().setWeight(database, INDEX, name, 2));
        calls.put("PayloadEncryption.writing", name -> PayloadEncryption.writing(name, KEY));
        calls.put("RemoteWorker.name", name -> remote(name, "", "", "a"));
        calls.put("Schedule.afterEach", name -> Schedule.afterEach(name, DAY, job()));
        calls.put("Schedule.cron", name -> Schedule.cron(name, "0 3 * * *", ZoneOffset.UTC, job()));
        calls.put("Schedule.every", name -> Schedule.every(name, DAY, job()));
        calls.put("Unique.by", Unique::by);
        calls.put("WorkerBuilder.name", name -> jobs.worker().name(name));
        calls.put("Workers.drain", name -> jobs.workers().drain(database, name));
        calls.put("Workers.pause", name -> jobs.workers().pause(database, name));
        return calls;
    }

    /** Calls that look for what has a name. */
    private Map<String, Call> finding() {
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("Batches.cancel", name -> jobs.batches().cancel(name, "no more"));
        calls.put("Batches.get", name -> jobs.batches().get(database, name));
        calls.put("Batches.remove", name -> jobs.batches().remove(database, name));
        calls.put("Batches.seal", name -> jobs.batches().seal(database, name));
        calls.put("CouchJobs.getJob", name -> jobs.getJob(database, INDEX, name));
        calls.put("CouchJobs.getJobData", name -> jobs.getJobData(database, INDEX, name));
        calls.put("CouchJobs.getJobState", name -> jobs.getJobState(database, INDEX, name));
        calls.put("CouchJobs.listTagged", name -> jobs.listTagged(database, INDEX, name, PAGE));
        calls.put("CouchJobs.remove", name -> jobs.remove(database, INDEX, name));
        calls.put("CouchJobs.result", name -> jobs.result(INDEX, name, Duration.ZERO));
        calls.put("CouchJobs.resultAsync", name -> jobs.resultAsync(INDEX, name, Duration.ZERO));
        calls.put("CouchJobs.subscribe", name -> jobs.subscribe(database, INDEX, name));
        calls.put("DeadLetters.retry", name -> jobs.deadLetters().retry(database, INDEX, name));
        calls.put("Dependency.on", name -> Dependency.on(INDEX, name));
        calls.put("Dependency.type", name -> new Dependency(name, "a", DependencyPolicy.WAIT));
        calls.put("JobControl.cancel", name -> jobs.control().cancel(database, INDEX, name, "no more"));
        calls.put("JobControl.reprioritise", name -> jobs.control().reprioritise(database, INDEX, name, 1));
        calls.put("JobControl.reschedule", name -> jobs.control().reschedule(database, INDEX, name, NOON));
        calls.put("JobControl.runNow", name -> jobs.control().runNow(database, INDEX, name));
        calls.put("JobDetails.attempts", name -> jobs.details().attempts(database, INDEX, name));
        calls.put(
                "JobDetails.dependencyStates",
                name -> jobs.details().dependencyStates(database, INDEX, name, type -> true, PAGE));
        calls.put(
                "JobDetails.dependentStates",
                name -> jobs.details().dependentStates(database, INDEX, name, type -> true, PAGE));
        calls.put("JobDetails.dependents", name -> jobs.details().dependents(database, INDEX, name, PAGE));
        calls.put("JobDetails.entries", name -> jobs.details().entries(database, INDEX, name, 0, 1));
        calls.put("JobDetails.lastCheckpoint", name -> jobs.details().lastCheckpoint(database, INDEX, name));
        calls.put("JobDetails.progress", name -> jobs.details().progress(database, INDEX, name));
        calls.put("JobDetails.waitsFor", name -> jobs.details().waitsFor(database, INDEX, name, PAGE));
        calls.put("JobDetails.withoutData", name -> jobs.details().withoutData(database, INDEX, name));
        calls.put("JobDetails.why", name -> jobs.details().why(database, INDEX, name));
        calls.put(
                "JobSelection.tagged",
                name -> jobs.control().select(INDEX, each -> true).tagged(name));
        calls.put("Limits.clear", name -> jobs.limits().clear(database, INDEX, name));
        calls.put("Limits.clearRate", name -> jobs.limits().clearRate(database, INDEX, name));
        calls.put("Limits.clearWeight", name -> jobs.limits().clearWeight(database, INDEX, name));
        calls.put("Limits.get", name -> jobs.limits().get(database, INDEX, name));
        calls.put("Limits.getWeight", name -> jobs.limits().getWeight(database, INDEX, name));
        calls.put("Limits.resume", name -> jobs.limits().resume(database, INDEX, name));
        calls.put("NewJob.after", name -> job().after(INDEX, name));
        calls.put(
                "PayloadEncryption.reading",
                name -> PayloadEncryption.writingPlaintext().reading(name, KEY));
        calls.put("Processor.claim", name -> jobs.processor().claim(database, INDEX, name, LOCK));
        calls.put(
                "Processor.renewAll",
                name -> jobs.processor().renewAll(database, List.of(new ClaimKey(INDEX, name, LOCK))));
        calls.put("RemoteWorker.types", name -> remote("a", "", "", name));
        calls.put("Schedules.firingTimes", name -> jobs.schedules().firingTimes(database, name, 1));
        calls.put("Schedules.get", name -> jobs.schedules().get(database, name));
        calls.put("Schedules.jobs", name -> jobs.schedules().jobs(database, name, 1));
        calls.put("Schedules.pause", name -> jobs.schedules().pause(database, name));
        calls.put("Schedules.remove", name -> jobs.schedules().remove(database, name));
        calls.put("Schedules.resume", name -> jobs.schedules().resume(database, name));
        calls.put("Schedules.runNow", name -> jobs.schedules().runNow(database, name));
        calls.put("Workers.find", name -> jobs.workers().find(database, name, LOCK));
        calls.put("Workers.remove", name -> jobs.workers().remove(database, name, LOCK));
        calls.put("Workers.resume", name -> jobs.workers().resume(database, name));
        calls.put(
                "Workers.watchOrders", name -> database.run(tx -> jobs.workers().watchOrders(tx, name)));
        return calls;
    }

    private static @Nullable Object made(Call call, String name) {
        Object made = call.apply(name);
        return made instanceof CompletableFuture<?> future ? await(future) : made;
    }

    /** {@return the calls that do not refuse a name with the reason} */
    private static List<String> accepting(Map<String, Call> calls, List<String> names) {
        return calls.entrySet().stream()
                .flatMap(call -> names.stream()
                        .filter(name -> !isRefused(call.getValue(), name))
                        .map(name -> call.getKey() + " " + shown(name)))
                .toList();
    }

    private static boolean isRefused(Call call, String name) {
        try {
            made(call, name);
            return false;
        } catch (RuntimeException e) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            return cause instanceof IllegalArgumentException
                    && String.valueOf(cause.getMessage())
                            .matches("(?s).*(this one has \\d|control characters; this one has U\\+|is not [.]|"
                                    + "half of a surrogate pair).*");
        }
    }

    private static String shown(String name) {
        return name.length() > 9
                ? name.length() + " characters"
                : name.chars()
                        .mapToObj(each -> each < ' ' || each > '~' ? "U+%04X".formatted(each) : (char) each + "")
                        .collect(Collectors.joining());
    }

    @Test
    void noRowGetsANameThatNoneMayHave() {
        assertThat(accepting(naming(), IMPOSSIBLE)).isEmpty();
    }

    @Test
    void noNewNameIsUnshownByAPathOrALog() {
        assertThat(accepting(naming(), UNSHOWN)).isEmpty();
    }

    @Test
    void nothingLooksForANameThatNoneMayHave() {
        assertThat(accepting(finding(), IMPOSSIBLE)).isEmpty();
    }

    /** Rows from before may have such names. */
    @Test
    void whatIsCalledByAnUnshownNameCanBeFound() {
        Map<String, Call> all = finding();
        all.keySet().removeAll(Set.of("Workers.watchOrders", "CouchJobs.subscribe"));
        assertThat(all.entrySet().stream()
                        .filter(call -> UNSHOWN.stream().anyMatch(name -> isRefused(call.getValue(), name)))
                        .map(Map.Entry::getKey))
                .isEmpty();
    }

    @Test
    void theTextsOfARemoteWorkerAreChecked() {
        for (String text : List.of("x".repeat(256), "\uD800", "a\nb")) {
            assertThatThrownBy(() -> remote("a", text, "", "a")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> remote("a", "", text, "a")).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(remote("a", "", "", "a").host()).isEmpty();
    }

    @Test
    void everyNameMayBeOrdinary() {
        naming().forEach((what, call) ->
                assertThatCode(() -> made(call, "tenant 7/é")).as(what).doesNotThrowAnyException());
    }

    /** A new method with a text is put into one of the tables. */
    @Test
    void everyPublicMethodWithATextIsHere() throws IOException {
        Set<String> here = new TreeSet<>(OTHER_TEXTS);
        Stream.concat(naming().keySet().stream(), finding().keySet().stream())
                .map(key -> key.replaceAll(",.*", ""))
                .forEach(here::add);
        assertThat(here).containsAll(methodsWithTexts());
    }

    private static Set<String> methodsWithTexts() throws IOException {
        Path classes = Path.of(CouchJobs.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        Set<String> methods = new TreeSet<>();
        try (Stream<Path> files = Files.list(classes.resolve("dev/couchjobs"))) {
            files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.startsWith("package-info"))
                    .map(file -> publicClass("dev.couchjobs." + file.substring(0, file.length() - 6)))
                    .forEach(type -> Arrays.stream(type.getDeclaredMethods())
                            .filter(method -> isPublic(type, method))
                            .filter(method -> Arrays.stream(method.getParameterTypes())
                                    .anyMatch(each -> each == String.class || each == String[].class))
                            .map(method -> type.getSimpleName() + "." + method.getName())
                            .forEach(methods::add));
        }
        assertThat(methods).hasSizeGreaterThan(60);
        return methods;
    }

    private static Class<?> publicClass(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPublic(Class<?> type, Method method) {
        return Modifier.isPublic(type.getModifiers())
                && Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic()
                && !(type.isEnum() && method.getName().equals("valueOf"));
    }
}
