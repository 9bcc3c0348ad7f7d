package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.HttpSender;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Creates the actions of plans on this node. Thread-safe. */
public final class Actions {
    private volatile ShellSettings shell;
    private final HttpSettings http;
    private final Map<String, StepHandler> handlers;
    private final Map<String, String> variables;
    private final Environment environment;
    private final Executor threads;
    private final HttpSender sender;
    /** For the data of handlers. */
    private final ObjectMapper mapper = JsonMapper.builder().build();

    /**
     * Creates the actions of a node.
     *
     * @param shell the commands that it allows
     * @param http the requests that it allows
     * @param handlers its handlers in Java, by name
     * @param variables the variables of the process, of which commands get those in the settings
     * @param environment timers, and a clock for the times that servers send
     * @param threads threads that may block
     */
    public Actions(
            ShellSettings shell,
            HttpSettings http,
            Map<String, StepHandler> handlers,
            Map<String, String> variables,
            Environment environment,
            Executor threads) {
        this.shell = shell;
        this.http = http;
        this.handlers = Map.copyOf(handlers);
        this.variables = Map.copyOf(variables);
        this.environment = environment;
        this.threads = threads;
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(threads)
                .build();
        this.sender = new HttpSender(client, threads);
    }

    /** Sets the limits of commands that begin later. */
    public void limit(CommandLimits limits) {
        shell = shell.limited(limits);
    }

    /**
     * Creates the action of a plan in a document.
     *
     * @param plan the plan
     * @return the action; if this node does not allow or know it, one that fails finally with the reason
     */
    public Action of(ActionPlan plan) {
        if (plan instanceof ActionPlan.Shell command) {
            return ShellAction.objection(command, shell)
                    .map(Actions::refusal)
                    .orElseGet(() -> shell(command, Optional.empty()));
        }
        if (plan instanceof ActionPlan.Http request) {
            return http(request);
        }
        return java((ActionPlan.Java) plan);
    }

    /**
     * Creates the action of the operator's own plan for work items. A command reads the item from its standard input,
     * and need not be among those that documents may contain. The item is also the body of a request, or the data of a
     * handler, that has none.
     *
     * @param plan the plan
     * @param item the item's document
     * @return the action, or one that fails finally
     */
    public Action of(ActionPlan plan, ObjectNode item) {
        if (plan instanceof ActionPlan.Shell command) {
            return ShellAction.objection(shell)
                    .map(Actions::refusal)
                    .orElseGet(() -> shell(command, Optional.of(item.toString())));
        }
        if (plan instanceof ActionPlan.Http http) {
            return http.body().isNull()
                    ? http(new ActionPlan.Http(http.method(), http.url(), http.headers(), item, http.timeout()))
                    : http(http);
        }
        ActionPlan.Java java = (ActionPlan.Java) plan;
        return java.data().isNull() ? java(new ActionPlan.Java(java.name(), item)) : java(java);
    }

    private Action shell(ActionPlan.Shell plan, Optional<String> document) {
        return new ShellAction(plan, document, shell, variables, environment, threads);
    }

    private Action http(ActionPlan.Http plan) {
        URI url;
        try {
            url = new URI(plan.url());
        } catch (URISyntaxException e) {
            return refusal("'" + plan.url() + "' is not a URL: " + e.getReason());
        }
        byte[] body = body(plan.body());
        Optional<String> objection = http.hosts().objection(url).or(() -> bodyObjection(body));
        return objection.map(Actions::refusal).orElseGet(() -> {
            String method = plan.method().toUpperCase(Locale.ROOT);
            HttpCall call = new HttpCall(method, url, headers(plan), body);
            return new HttpAction(call, plan.timeout(), http, sender, environment, threads);
        });
    }

    private Optional<String> bodyObjection(byte[] body) {
        return body.length <= http.requestLimit()
                ? Optional.empty()
                : Optional.of("the body of the request has " + body.length + " bytes; this node allows "
                        + http.requestLimit() + " (http.request_limit in its configuration)");
    }

    private static byte[] body(JsonNode body) {
        if (body.isNull() || body.isMissingNode()) {
            return new byte[0];
        }
        String text = body.isString() ? body.stringValue() : body.toString();
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> headers(ActionPlan.Http plan) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        if (!plan.body().isNull() && !plan.body().isMissingNode()) {
            headers.put("Content-Type", plan.body().isString() ? "text/plain; charset=utf-8" : "application/json");
        }
        headers.putAll(plan.headers());
        return headers;
    }

    private Action java(ActionPlan.Java plan) {
        return Optional.ofNullable(handlers.get(plan.name()))
                .<Action>map(handler -> new JavaAction(handler, plan.data(), mapper, environment, threads))
                .orElseGet(() -> refusal("no handler of the name '" + plan.name() + "' is registered on this node"
                        + NameSuggestion.hint(plan.name(), handlers.keySet())));
    }

    private static Action refusal(String reason) {
        return context -> CompletableFuture.completedFuture(ActionResult.refused(reason));
    }
}
