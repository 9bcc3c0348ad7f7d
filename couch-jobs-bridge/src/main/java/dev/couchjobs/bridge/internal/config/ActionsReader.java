package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.action.CommandAllowList;
import dev.couchjobs.bridge.internal.action.CommandLimits;
import dev.couchjobs.bridge.internal.action.HostAllowList;
import dev.couchjobs.bridge.internal.action.HttpSettings;
import dev.couchjobs.bridge.internal.action.ShellSettings;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads the sections about actions. */
final class ActionsReader {
    private static final Pattern REQUEST = Pattern.compile("(?<method>[A-Za-z]{1,20})\\s+(?<url>https?://\\S+)");

    /** A placeholder for an address that is not valid, so that the error is reported once. */
    private static final String NOWHERE = "";

    private final Path directory;

    ActionsReader(Path directory) {
        this.directory = directory;
    }

    ShellSettings shell(ConfigSection section, Set<String> secrets) {
        List<String> environment = section.texts("environment").orElse(ShellSettings.DEFAULT_ENVIRONMENT);
        environment.stream()
                .filter(secrets::contains)
                .forEach(name -> section.mistake(
                        "environment", name + " contains a password of CouchDB, which commands must not get"));
        ShellSettings settings = new ShellSettings(
                section.flag("enabled", false),
                allowList(section),
                section.text("directory").map(path -> directory.resolve(path).normalize()),
                environment,
                section.duration("time_limit"),
                grace(section),
                section.number("output_limit", 0, ShellSettings.DEFAULT_OUTPUT_LIMIT),
                new CommandLimits(memoryLimit(section), processorLimit(section)));
        section.end();
        return settings;
    }

    private static OptionalLong memoryLimit(ConfigSection section) {
        OptionalLong limit = section.bytes("memory_limit");
        if (limit.isPresent() && limit.getAsLong() < BridgeSettings.MEMORY_MIN) {
            section.mistake("memory_limit", "has to be at least " + BridgeSettings.MEMORY_MIN);
            return OptionalLong.empty();
        }
        return limit;
    }

    private static Optional<Duration> processorLimit(ConfigSection section) {
        Optional<Duration> limit = section.duration("processor_limit");
        if (limit.isPresent() && (limit.get().toSeconds() < 1 || limit.get().toNanosPart() > 0)) {
            section.mistake("processor_limit", "has to be whole seconds, at least 1");
            return Optional.empty();
        }
        return limit;
    }

    private static Duration grace(ConfigSection section) {
        Duration grace = section.duration("grace").orElse(ShellSettings.DEFAULT_GRACE);
        boolean isInBounds = grace.toSeconds() >= 1 && grace.compareTo(ShellSettings.GRACE_MAX) <= 0;
        if (isInBounds && grace.toNanosPart() == 0) {
            return grace;
        }
        section.mistake("grace", "has to be whole seconds, from 1 to " + ShellSettings.GRACE_MAX.toSeconds());
        return ShellSettings.DEFAULT_GRACE;
    }

    private static CommandAllowList allowList(ConfigSection section) {
        Optional<List<String>> commands = section.texts("allow");
        Optional<List<String>> expressions = section.texts("allow_matching");
        if (commands.isEmpty() && expressions.isEmpty()) {
            return section.has("allow") || section.has("allow_matching")
                    ? CommandAllowList.of(Set.of(), List.of())
                    : CommandAllowList.all();
        }
        List<Pattern> patterns = expressions.orElse(List.of()).stream()
                .flatMap(expression -> pattern(section, expression))
                .toList();
        return CommandAllowList.of(Set.copyOf(commands.orElse(List.of())), patterns);
    }

    private static Stream<Pattern> pattern(ConfigSection section, String expression) {
        try {
            return Stream.of(Pattern.compile(expression));
        } catch (PatternSyntaxException e) {
            section.mistake(
                    "allow_matching", "'" + expression + "' is not a regular expression: " + e.getDescription());
            return Stream.empty();
        }
    }

    HttpSettings http(ConfigSection section) {
        HttpSettings settings = new HttpSettings(
                hosts(section),
                section.duration("timeout").orElse(HttpSettings.DEFAULT_TIMEOUT),
                section.number("request_limit", 0, HttpSettings.DEFAULT_REQUEST_LIMIT),
                section.number("output_limit", 0, ShellSettings.DEFAULT_OUTPUT_LIMIT));
        section.end();
        return settings;
    }

    private static HostAllowList hosts(ConfigSection section) {
        try {
            return HostAllowList.of(section.texts("hosts").orElse(List.of()));
        } catch (IllegalArgumentException e) {
            section.mistake("hosts", String.valueOf(e.getMessage()));
            return HostAllowList.none();
        }
    }

    /** Reads the actions for work items. They must be allowed like all others. */
    SortedMap<String, WorkItemConfig> workItems(ConfigSection section, ShellSettings shell, HttpSettings http) {
        SortedMap<String, WorkItemConfig> items = new TreeMap<>();
        for (String kind : section.names()) {
            ConfigSection item = section.section(kind);
            ActionPlan action = action(item);
            objection(action, shell, http).ifPresent(why -> item.mistake("do", why));
            items.put(
                    kind,
                    new WorkItemConfig(
                            action, item.number("concurrency", 1, 1), retry(item), item.duration("timeout")));
            item.end();
        }
        return items;
    }

    private static Optional<String> objection(ActionPlan action, ShellSettings shell, HttpSettings http) {
        if (action instanceof ActionPlan.Shell && !shell.isEnabled()) {
            return Optional.of("is a command, which needs shell.enabled = true");
        }
        return action instanceof ActionPlan.Http request && !request.url().equals(NOWHERE)
                ? objection(request.url(), http)
                : Optional.empty();
    }

    private static Optional<String> objection(String url, HttpSettings http) {
        try {
            return http.hosts().objection(new URI(url));
        } catch (URISyntaxException e) {
            return Optional.of("'" + url + "' is not a URL: " + e.getReason());
        }
    }

    /** About a day, by default. */
    private static RetryStrategy retry(ConfigSection item) {
        return new RetryStrategy(
                item.number("max_retries", 0, 10),
                item.duration("sleep").orElse(Duration.ofSeconds(30)),
                item.number("sleep_factor", 1, 3),
                Optional.of(item.duration("sleep_max").orElse(Duration.ofHours(4))),
                Optional.empty());
    }

    private static ActionPlan action(ConfigSection item) {
        String kind = item.text("kind").orElse("shell");
        String what = item.required("do");
        return switch (kind) {
            case "shell" -> new ActionPlan.Shell(what, Optional.empty(), Map.of());
            case "java" -> new ActionPlan.Java(what, JsonNodeFactory.instance.nullNode());
            case "http" -> request(item, what);
            default -> {
                item.mistake("kind", "has to be \"shell\", \"http\" or \"java\"");
                yield request(item, "");
            }
        };
    }

    private static ActionPlan request(ConfigSection item, String what) {
        var matcher = REQUEST.matcher(what);
        boolean isRequest = matcher.matches();
        if (!isRequest && !what.isEmpty()) {
            item.mistake("do", "has to be a method and a URL, such as \"POST https://example.org/mail\"");
        }
        return new ActionPlan.Http(
                isRequest ? matcher.group("method") : "GET",
                isRequest ? matcher.group("url") : NOWHERE,
                Map.of(),
                JsonNodeFactory.instance.nullNode(),
                Optional.empty());
    }
}
