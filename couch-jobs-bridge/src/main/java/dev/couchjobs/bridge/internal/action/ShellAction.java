package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs {@code sh -c} with a command. Its standard input is the document if that is a work item, and empty otherwise.
 * Its outputs are kept together in their order. Its variables are those of the operator and of the step, COUCHJOBS_JOB,
 * COUCHJOBS_STEP, COUCHJOBS_NODE, COUCHJOBS_ATTEMPT and, if it is short, COUCHJOBS_DOCUMENT.
 */
final class ShellAction implements Action {
    private static final Predicate<String> VARIABLE =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]*").asMatchPredicate();

    /** The limit in bytes. With escapes, five times as many fit into one argument. */
    private static final int DOCUMENT_IN_VARIABLE_MAX = 16 * 1024;

    private final ActionPlan.Shell plan;
    private final Optional<String> document;
    private final ShellSettings settings;
    private final Map<String, String> inherited;
    private final ShellGuard guard;
    private final Environment environment;
    private final Executor threads;

    ShellAction(
            ActionPlan.Shell plan,
            Optional<String> document,
            ShellSettings settings,
            Map<String, String> inherited,
            Environment environment,
            Executor threads) {
        this.plan = plan;
        this.document = document;
        this.settings = settings;
        this.inherited = inherited;
        this.guard = ShellGuard.on(inherited.getOrDefault("PATH", "/usr/bin:/bin"));
        this.environment = environment;
        this.threads = threads;
    }

    /** {@return why the operator does not allow commands; empty if they are allowed} */
    static Optional<String> objection(ShellSettings settings) {
        return settings.isEnabled()
                ? Optional.empty()
                : Optional.of("shell commands are not allowed on this node; its configuration can allow them by"
                        + " shell.enabled = true");
    }

    /** {@return why the operator does not allow the command of a document; empty if it is allowed} */
    static Optional<String> objection(ActionPlan.Shell plan, ShellSettings settings) {
        Optional<String> toAll = objection(settings);
        if (toAll.isPresent()) {
            return toAll;
        }
        if (!settings.allow().allows(plan.command())) {
            return Optional.of("this command is not on the list of those that this node allows (shell.allow and"
                    + " shell.allow_matching in its configuration)");
        }
        boolean changesMeaning =
                plan.directory().isPresent() || !plan.environment().isEmpty();
        if (changesMeaning && !settings.allow().isEverything()) {
            return Optional.of("on a node with a list of allowed commands a step may not choose the directory or"
                    + " variables, because they can change what a command does");
        }
        return plan.environment().keySet().stream()
                .filter(VARIABLE.negate())
                .findFirst()
                .map(name -> "environment: '" + name + "' cannot be the name of a variable");
    }

    @Override
    public CompletableFuture<ActionResult> run(ActionContext context) {
        Stoppable<ActionResult> result = new Stoppable<>();
        threads.execute(() -> {
            if (result.isStopped()) {
                result.complete(ActionResult.failed(RunningCommand.CANCELLED));
            } else {
                startAndSupervise(context, result);
            }
        });
        return result;
    }

    private void startAndSupervise(ActionContext context, Stoppable<ActionResult> result) {
        try {
            start(context).supervise(timeLimit(context), result);
        } catch (IllegalArgumentException e) {
            result.complete(ActionResult.refused("the command cannot be started: " + e.getMessage()));
        } catch (Throwable e) { // also an error, such as a lack of threads, which nothing else reports
            result.complete(ActionResult.failed("the command could not be started: " + e.getMessage()));
        }
    }

    private RunningCommand start(ActionContext context) throws IOException {
        CommandInput input = CommandInput.of(document.map(json -> json + "\n"));
        try {
            Process process = start(variables(context), input);
            ProcessTree tree = new ProcessTree(process, guard.makesGroups());
            RunningCommand command = new RunningCommand(process, tree, settings, environment, threads);
            FutureCallbacks.whenEnded(command.hasBegun(), input::delete);
            return command;
        } catch (Throwable e) {
            input.delete();
            throw e;
        }
    }

    /** The guard gets variables that are not ASCII in escaped form, like the command. */
    private Process start(Map<String, String> variables, CommandInput input) throws IOException {
        Map<String, String> byGuard = new LinkedHashMap<>(variables);
        byGuard.values().removeIf(StandardCharsets.US_ASCII.newEncoder()::canEncode);
        ProcessBuilder builder = new ProcessBuilder(guard.commandLine(plan.command(), settings, input.file(), byGuard))
                .redirectErrorStream(true);
        builder.environment().clear();
        variables.keySet().removeAll(byGuard.keySet());
        builder.environment().putAll(variables);
        directory().ifPresent(directory -> builder.directory(directory.toFile()));
        return builder.start();
    }

    private Map<String, String> variables(ActionContext context) {
        Map<String, String> variables = new LinkedHashMap<>();
        settings.environment().stream()
                .filter(inherited::containsKey)
                .forEach(name -> variables.put(name, inherited.getOrDefault(name, "")));
        variables.putAll(plan.environment());
        document.filter(json -> json.getBytes(StandardCharsets.UTF_8).length <= DOCUMENT_IN_VARIABLE_MAX)
                .ifPresent(json -> variables.put("COUCHJOBS_DOCUMENT", json));
        variables.put("COUCHJOBS_JOB", context.documentId());
        variables.put("COUCHJOBS_STEP", Integer.toString(context.step()));
        variables.put("COUCHJOBS_NODE", context.node());
        variables.put("COUCHJOBS_ATTEMPT", Integer.toString(context.attempt()));
        return variables;
    }

    private Optional<Path> directory() {
        return plan.directory()
                .map(own -> settings.directory().orElse(Path.of("")).resolve(own))
                .or(settings::directory);
    }

    private Optional<Duration> timeLimit(ActionContext context) {
        return Stream.of(context.timeout(), settings.timeLimit())
                .flatMap(Optional::stream)
                .min(Duration::compareTo);
    }
}
