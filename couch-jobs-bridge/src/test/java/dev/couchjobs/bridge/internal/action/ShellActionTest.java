package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.testing.TestClient;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class ShellActionTest {
    private static final ActionContext OCCASION = new ActionContext("job-1", 2, "alpha", 3, Optional.empty());
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @TempDir
    Path directory;

    private final ManualTimers timers = new ManualTimers();

    @Test
    void whatACommandSaysOnEitherOutputIsKeptInItsOrder() {
        ActionResult result = run("echo one; echo two >&2; echo three");

        assertThat(result.success()).isTrue();
        assertThat(result.exitStatus()).hasValue(0);
        assertThat(result.output()).isEqualTo("one\ntwo\nthree\n");
        assertThat(result.reason()).isEmpty();
    }

    @Test
    void aStatusOtherThanZeroIsAFailureThatMayBeTriedAgain() {
        ActionResult result = run("echo no luck; exit 3");

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isFalse();
        assertThat(result.exitStatus()).hasValue(3);
        assertThat(result.output()).isEqualTo("no luck\n");
        assertThat(result.reason()).hasValue("exit status 3");
    }

    @Test
    void aCommandEndedByASignalHasTheStatusThatTheShellGivesIt() {
        ActionResult result = run("kill -s KILL $$");

        assertThat(result.exitStatus()).hasValue(137);
        assertThat(result.reason()).hasValue("exit status 137 (ended by signal 9)");
    }

    @Test
    void aCommandThatSignalsItsWholeGroupEndsOnlyItself() {
        assertThat(run("kill -s TERM 0").exitStatus()).hasValue(143);
    }

    @Test
    void aCommandReadsNothing() {
        assertThat(run("cat; echo end").output()).isEqualTo("end\n");
    }

    @Test
    void aCommandMayHoldAnyCharacterWhateverTheLocale() {
        assertThat(run("printf '%s\\n' 'grüße\\n → 😀' \"it's\"\necho \\\\").output())
                .isEqualTo("grüße\\n → 😀\nit's\n\\\n");
    }

    @Test
    void aCommandIsToldForWhatItRuns() {
        String command = "echo $COUCHJOBS_JOB $COUCHJOBS_STEP $COUCHJOBS_NODE $COUCHJOBS_ATTEMPT";

        assertThat(run(command).output()).isEqualTo("job-1 2 alpha 3\n");
        assertThat(run(command, new ActionContext("jöb", 0, "a b", 1, Optional.empty()))
                        .output())
                .isEqualTo("jöb 0 a b 1\n");
    }

    @Test
    void aCommandSeesOnlyTheVariablesThatItWasGiven() {
        Map<String, String> bridge = new HashMap<>(TestSystem.environment());
        bridge.putAll(Map.of("LANG", "C", "COUCHDB_PASSWORD", "geheim"));
        ActionPlan.Shell plan = new ActionPlan.Shell(
                "env", Optional.empty(), Map.of("COLOUR", "grün", "COUCHJOBS_NODE", "a forged one"));

        String seen = new Actions(
                        ShellSettings.off().enabled(),
                        HttpSettings.off(),
                        Map.of(),
                        bridge,
                        Environment.system(),
                        TestClient.THREADS)
                .of(plan)
                .run(OCCASION)
                .join()
                .output();

        assertThat(seen.lines())
                .contains("LANG=C", "COLOUR=grün", "COUCHJOBS_NODE=alpha", "PATH=" + bridge.get("PATH"))
                .noneMatch(line -> line.contains("geheim"))
                .allMatch(line -> line.matches("(PATH|HOME|LANG|TZ|COLOUR|PWD|OLDPWD|SHLVL|_|COUCHJOBS_\\w+)=.*"));
    }

    @Test
    void aCommandRunsWhereItsStepSaysElseWhereTheOperatorDoes() throws IOException {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        ShellSettings settings = inDirectory(directory);

        assertThat(run(new ActionPlan.Shell("pwd -P", Optional.empty(), Map.of()), settings)
                        .output())
                .isEqualTo(directory.toRealPath() + "\n");
        assertThat(run(new ActionPlan.Shell("pwd -P", Optional.of("inner"), Map.of()), settings)
                        .output())
                .isEqualTo(inner.toRealPath() + "\n");
    }

    @Test
    void aDirectoryThatIsNotThereIsAFailureWithAReason() {
        ActionResult result =
                run(new ActionPlan.Shell("true", Optional.of("missing"), Map.of()), inDirectory(directory));

        assertThat(result.success()).isFalse();
        assertThat(result.exitStatus()).isEmpty();
        assertThat(result.reason().orElseThrow()).contains("could not be started", "missing");
    }

    @Test
    void whatNoShellCanTakeIsRefused() {
        ActionResult result = run("echo a\0b");

        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason().orElseThrow()).contains("U+0000");
    }

    @Test
    void ofALongOutputTheBeginningAndTheEndAreKeptAndTheCommandIsNotHeldUp() {
        ActionResult result = run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");

        assertThat(result.success()).isTrue();
        assertThat(result.isOutputCut()).isTrue();
        assertThat(result.output())
                .startsWith("first\nxxx")
                .endsWith("xxx\nlast\n")
                .contains("bytes left out");
        assertThat(result.output().length()).isLessThan(ShellSettings.DEFAULT_OUTPUT_LIMIT + 50);
    }

    @Test
    void aCommandThatTakesTooLongIsEndedWithAllThatItStarted() throws Exception {
        CompletableFuture<ActionResult> result = start("echo begun; exec 9> held; sleep 1000 & sleep 1000");
        InputStream held = held();
        timers.fire(LIMIT);

        assertThat(result.join().success()).isFalse();
        assertThat(result.join().isFinal()).isFalse();
        assertThat(result.join().exitStatus()).hasValue(143);
        assertThat(result.join().reason()).hasValue("it took longer than 5 s and was ended");
        assertThat(result.join().output()).startsWith("begun\n");
        assertThatAllHaveEnded(held);
    }

    @Test
    void aCommandThatDoesNotHeedTermIsKilledAfterTheGrace() throws Exception {
        CompletableFuture<ActionResult> result =
                start("trap '' TERM; echo begun; exec 9> held; sleep 1000; sleep 1000");
        InputStream held = held();
        timers.fire(LIMIT);
        timers.fire(ShellSettings.DEFAULT_GRACE);

        assertThat(result.join().exitStatus()).hasValue(137);
        assertThat(result.join().output()).isEqualTo("begun\n");
        assertThat(result.join().reason()).hasValue("it took longer than 5 s and was ended");
        assertThatAllHaveEnded(held);
    }

    @Test
    void aCommandThatTidiesUpOnTermMayDoSo() throws Exception {
        CompletableFuture<ActionResult> result =
                start("trap 'echo tidy; exit 0' TERM; exec 9> held; sh -c 'echo begun >&9; exec sleep 1000' & wait");
        InputStream held = held();
        // A child that has not replaced its parent's trap yet may lose the signal.
        awaitBegun(held);
        timers.fire(LIMIT);

        assertThat(result.join().success()).isFalse();
        assertThat(result.join().output()).contains("tidy\n");
        assertThatAllHaveEnded(held);
    }

    @Test
    void aChildWithASessionOfItsOwnIsEndedToo() throws Exception {
        CompletableFuture<ActionResult> result = start("setsid sh -c 'exec 9> held; exec sleep 1000' & sleep 1000");
        InputStream held = held();
        timers.fire(LIMIT);

        assertThat(result.join().success()).isFalse();
        assertThatAllHaveEnded(held);
    }

    @Test
    void cancellingEndsAllOfIt() throws Exception {
        CompletableFuture<ActionResult> result = start("exec 9> held; sleep 1000 & sleep 1000");
        InputStream held = held();
        result.cancel(true);

        assertThat(result.join().success()).isFalse();
        assertThatAllHaveEnded(held);
    }

    @Test
    void aCancelledCommandIsWaitedForUntilItHasEnded() throws Exception {
        CompletableFuture<ActionResult> result =
                start("trap '' TERM; exec 9> held; echo begun >&9; while :; do sleep 1000; done");
        InputStream held = held();
        awaitBegun(held);
        result.cancel(true);
        timers.fire(LIMIT); // which lasts as long as the grace, and now has no effect
        assertThat(result).isNotDone();
        timers.fire(ShellSettings.DEFAULT_GRACE);

        assertThat(result.join().exitStatus()).hasValue(137);
        assertThatAllHaveEnded(held);
    }

    private static void awaitBegun(InputStream held) throws IOException {
        assertThat(new String(held.readNBytes("begun\n".length()), StandardCharsets.UTF_8))
                .isEqualTo("begun\n");
    }

    @Test
    void whatACommandLeavesInItsGroupEndsWithIt() throws Exception {
        CompletableFuture<ActionResult> result = start("exec 9> held; sleep 1000 &");
        InputStream held = held();

        assertThatAllHaveEnded(held);
        assertThat(result.join().success()).isTrue();
    }

    @Test
    void aDaemonLivesOnAndDoesNotHoldUpItsStepThoughItHoldsTheOutput() throws Exception {
        CompletableFuture<ActionResult> result = start(
                "mkfifo up; (setsid sh -c 'echo $$ > id; exec 9> held; : > up; exec sleep 1000' &); read up < up; true");
        InputStream held = held();
        timers.fire(Duration.ofSeconds(1));

        assertThat(result.join().success()).isTrue();
        ProcessHandle daemon = ProcessHandle.of(
                        Long.parseLong(Files.readString(directory.resolve("id")).strip()))
                .orElseThrow();
        assertThat(daemon.isAlive()).isTrue();
        daemon.destroyForcibly();
        assertThatAllHaveEnded(held);
    }

    @Test
    void anEndedCommandLeavesNoTimers() throws Exception {
        start("true").join();

        timers.awaitNone();
    }

    /** A command whose limit the system cannot set is not run without it. */
    @Test
    void aCommandThatNeedsMoreMemoryThanAllowedFails() throws Exception {
        ShellSettings settings =
                inDirectory(directory).limited(new CommandLimits(OptionalLong.of(64L * 1024 * 1024), Optional.empty()));

        ActionResult result =
                run(shell("head -c 200000000 /dev/zero | tail -c 150000000 | wc -c; ulimit -v"), settings);

        assertThat(result.output()).doesNotContain("150000000");
        if (TestSystem.limitsMemory()) {
            assertThat(result.output()).contains("65536");
        } else {
            assertThat(result.exitStatus()).hasValue(126);
        }
    }

    @Test
    void aCommandThatNeedsMoreProcessorTimeThanAllowedIsKilled() throws Exception {
        ShellSettings settings = inDirectory(directory)
                .limited(new CommandLimits(OptionalLong.empty(), Optional.of(Duration.ofSeconds(1))));

        ActionResult result = run(shell("while :; do :; done"), settings);

        assertThat(result.success()).isFalse();
        assertThat(result.exitStatus().orElseThrow()).isIn(128 + 9, 128 + 24);
    }

    @Test
    void theOperatorsLimitHoldsWhereAStepAllowsMore() throws Exception {
        ShellSettings settings = inDirectory(directory);
        settings = new ShellSettings(
                true,
                settings.allow(),
                settings.directory(),
                settings.environment(),
                Optional.of(Duration.ofSeconds(2)),
                settings.grace(),
                settings.outputLimit(),
                settings.limits());
        CompletableFuture<ActionResult> result = actions(settings, timers.environment())
                .of(shell("exec sleep 1000"))
                .run(OCCASION);
        timers.fire(Duration.ofSeconds(2));

        assertThat(result.join().reason()).hasValue("it took longer than 2 s and was ended");
    }

    @Test
    void commandsAreOffUnlessTheOperatorAllowsThem() {
        ActionResult result = run(shell("true"), ShellSettings.off());

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason().orElseThrow()).contains("not allowed on this node", "shell.enabled = true");
    }

    @Test
    void withAListOnlyWhatMatchesFromEndToEndIsRun() {
        CommandAllowList list = CommandAllowList.of(Set.of("echo exact"), List.of(Pattern.compile("echo [a-z]+")));
        ShellSettings settings = ShellSettings.off().allowing(list);

        assertThat(run(shell("echo exact"), settings).success()).isTrue();
        assertThat(run(shell("echo other"), settings).success()).isTrue();
        assertThat(run(shell("echo exact; id"), settings).reason().orElseThrow())
                .contains("not on the list");
        assertThat(run(shell("echo x\nid"), settings).isFinal()).isTrue();
    }

    @Test
    void anExpressionThatWouldTakeForEverOrTheWholeStackDoesNotMatch() {
        CommandAllowList list = CommandAllowList.of(
                Set.of(), List.of(Pattern.compile("a (x+x+)+y"), Pattern.compile("create-user( [a-z-]+)*")));

        assertThat(list.allows("a " + "x".repeat(60))).isFalse();
        assertThat(list.allows("create-user" + " a".repeat(32_000))).isFalse();
        assertThat(list.allows("create-user jo ann")).isTrue();
    }

    @Test
    void aCommandThatCannotBeSupervisedFailsAndIsEnded() throws Exception {
        ScheduledExecutorService broken = (ScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ScheduledExecutorService.class}, (self, method, given) -> {
                    throw new OutOfMemoryError("unable to create native thread");
                });
        Environment environment = new Environment(() -> ManualTimers.NOW, broken, new Random(1));
        ActionResult result = actions(ShellSettings.off().enabled(), environment)
                .of(shell("exec sleep 1000"))
                .run(new ActionContext("job", 0, "alpha", 1, Optional.of(LIMIT)))
                .join();

        assertThat(result.success()).isFalse();
        assertThat(result.reason().orElseThrow()).contains("unable to create native thread");
    }

    @Test
    void withAListAStepCannotChangeWhatTheCommandsMean() {
        ShellSettings settings = ShellSettings.off().allowing(CommandAllowList.of(Set.of("ls"), List.of()));

        assertThat(run(new ActionPlan.Shell("ls", Optional.empty(), Map.of("PATH", "/tmp")), settings)
                        .reason()
                        .orElseThrow())
                .contains("directory or variables");
    }

    @Test
    void aVariableWithAnImpossibleNameIsRefused() {
        ActionPlan.Shell plan = new ActionPlan.Shell("true", Optional.empty(), Map.of("A-B", "x"));

        assertThat(run(plan, ShellSettings.off().enabled()).reason().orElseThrow())
                .contains("'A-B' cannot be the name of a variable");
    }

    @Test
    void theCommandForAWorkItemReadsItsDocumentHoweverLongAndNeedsNoPlaceOnTheList() {
        Actions actions =
                actions(ShellSettings.off().allowing(CommandAllowList.of(Set.of(), List.of())), Environment.system());
        ObjectNode item = JsonNodeFactory.instance.objectNode().put("_id", "w").put("to", "Jürgen");

        assertThat(actions.of(shell("cat; echo \"$COUCHJOBS_DOCUMENT\""), item)
                        .run(OCCASION)
                        .join()
                        .output())
                .isEqualTo((item + "\n").repeat(2));

        item.put("text", "ü".repeat(1_000_000));
        assertThat(actions.of(shell("wc -c; echo ${COUCHJOBS_DOCUMENT-none}"), item)
                        .run(OCCASION)
                        .join()
                        .output()
                        .strip())
                .isEqualTo((item + "\n").getBytes(StandardCharsets.UTF_8).length + "\nnone");
    }

    @Test
    void nothingIsLeftOfWhatACommandHasRead() throws IOException {
        ObjectNode item = JsonNodeFactory.instance.objectNode().put("_id", directory.toString());
        String command = "cat; true";
        assertThat(actions(inDirectory(directory), Environment.system())
                        .of(shell(command), item)
                        .run(OCCASION)
                        .join()
                        .success())
                .isTrue();
        assertThat(actions(inDirectory(directory.resolve("missing")), Environment.system())
                        .of(shell(command), item)
                        .run(OCCASION)
                        .join()
                        .success())
                .isFalse();

        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("couch-jobs-input-")))
                    .noneMatch(file -> holds(file, directory.toString()));
        }
    }

    private static boolean holds(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            return false; // a process of another test, which has ended
        }
    }

    private ActionResult run(String command) {
        return run(command, OCCASION);
    }

    private ActionResult run(String command, ActionContext context) {
        return actions(ShellSettings.off().enabled(), timers.environment())
                .of(shell(command))
                .run(context)
                .join();
    }

    private ActionResult run(ActionPlan.Shell plan, ShellSettings settings) {
        return actions(settings, timers.environment()).of(plan).run(OCCASION).join();
    }

    /** Starts a command in the test's directory, which contains a pipe with the name held. */
    private CompletableFuture<ActionResult> start(String command) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("held").toString())
                        .start()
                        .waitFor())
                .isZero();
        return actions(inDirectory(directory), timers.environment())
                .of(shell(command))
                .run(new ActionContext("job", 0, "alpha", 1, Optional.of(LIMIT)));
    }

    /** Waits until a process has opened the pipe. Its content ends when the last process that holds it has ended. */
    private InputStream held() throws IOException {
        return Files.newInputStream(directory.resolve("held"));
    }

    private static void assertThatAllHaveEnded(InputStream held) throws IOException {
        try (held) {
            assertThat(held.read()).isEqualTo(-1);
        }
    }

    private static ActionPlan.Shell shell(String command) {
        return new ActionPlan.Shell(command, Optional.empty(), Map.of());
    }

    private static Actions actions(ShellSettings settings, Environment environment) {
        return new Actions(
                settings, HttpSettings.off(), Map.of(), TestSystem.environment(), environment, TestClient.THREADS);
    }

    private static ShellSettings inDirectory(Path directory) {
        ShellSettings off = ShellSettings.off();
        return new ShellSettings(
                true,
                off.allow(),
                Optional.of(directory),
                off.environment(),
                off.timeLimit(),
                off.grace(),
                off.outputLimit(),
                off.limits());
    }
}
