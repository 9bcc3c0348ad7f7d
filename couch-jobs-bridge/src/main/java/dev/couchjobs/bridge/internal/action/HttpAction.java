package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.HttpSender;
import dev.couchjobs.bridge.internal.RootCauses;
import java.net.URISyntaxException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Sends a request. A 2xx is a success. After 408, 425, 429, 5xx and network errors another try may succeed; other
 * answers are final. It follows a limited number of redirects, to allowed hosts and never from https to http.
 */
final class HttpAction implements Action {
    static final String KEY_HEADER = "Idempotency-Key";
    private static final int MAX_REDIRECTS = 5;
    private static final Set<Integer> PASSING = Set.of(408, 425, 429);

    private final HttpCall call;
    private final Optional<Duration> ownTimeout;
    private final HttpSettings settings;
    private final HttpSender sender;
    private final Environment environment;
    private final Executor threads;

    HttpAction(
            HttpCall call,
            Optional<Duration> ownTimeout,
            HttpSettings settings,
            HttpSender sender,
            Environment environment,
            Executor threads) {
        this.call = call;
        this.ownTimeout = ownTimeout;
        this.settings = settings;
        this.sender = sender;
        this.environment = environment;
        this.threads = threads;
    }

    @Override
    public CompletableFuture<ActionResult> run(ActionContext context) {
        Stoppable<ActionResult> result = new Stoppable<>();
        result.whenStopped(() -> result.complete(ActionResult.failed("cancelled")));
        Duration limit = timeout(context);
        Future<?> timer = environment
                .scheduler()
                .schedule(
                        () -> threads.execute(() ->
                                result.complete(ActionResult.failed("no answer within " + DurationText.text(limit)))),
                        limit.toNanos(),
                        TimeUnit.NANOSECONDS);
        FutureCallbacks.whenEnded(result, () -> timer.cancel(false));
        Map<String, String> headers = new HashMap<>(call.headers());
        if (headers.keySet().stream().noneMatch(KEY_HEADER::equalsIgnoreCase)) {
            headers.put(KEY_HEADER, IdempotencyKey.of(context, call));
        }
        send(new HttpCall(call.method(), call.url(), headers, call.body()), 0, result);
        return result;
    }

    /** The time limit of the request, which never exceeds that of the try. */
    private Duration timeout(ActionContext context) {
        Duration wanted = ownTimeout.or(context::timeout).orElse(settings.timeout());
        return context.timeout().filter(most -> most.compareTo(wanted) < 0).orElse(wanted);
    }

    private void send(HttpCall next, int redirects, CompletableFuture<ActionResult> result) {
        HttpRequest request;
        try {
            request = next.toRequest();
        } catch (IllegalArgumentException e) {
            result.complete(ActionResult.refused("this request cannot be sent: " + e.getMessage()));
            return;
        }
        CompletableFuture<HttpResponse<TruncatedBody.Beginning>> exchange =
                sender.send(request, headers -> new TruncatedBody(settings.outputLimit()));
        FutureCallbacks.whenEnded(result, () -> exchange.cancel(true));
        var answered = exchange.whenComplete((response, error) -> {
            if (error != null) {
                result.complete(ActionResult.failed(reasonOf(next, error)));
            } else if (HttpCall.isRedirect(response.statusCode())) {
                redirect(next, response, redirects, result);
            } else {
                result.complete(resultOf(response));
            }
        });
        var unused = answered.whenComplete((response, error) -> {
            if (error != null) {
                result.completeExceptionally(error);
            }
        });
    }

    private void redirect(
            HttpCall from,
            HttpResponse<TruncatedBody.Beginning> response,
            int redirects,
            CompletableFuture<ActionResult> result) {
        Optional<String> location = response.headers().firstValue("Location");
        if (location.isEmpty()) {
            result.complete(resultOf(response));
            return;
        }
        ActionResult refusal = ActionResult.refused("").withStatus(response.statusCode());
        try {
            HttpCall next = from.redirected(response.statusCode(), location.get());
            Optional<String> objection = redirects == MAX_REDIRECTS
                    ? Optional.of("the server redirects more than " + MAX_REDIRECTS + " times")
                    : from.objection(next, settings.hosts());
            objection.ifPresentOrElse(
                    reason -> result.complete(refusal.because(reason)), () -> send(next, redirects + 1, result));
        } catch (URISyntaxException e) {
            result.complete(refusal.because("the server redirects to an invalid URL: " + location.get()));
        }
    }

    private ActionResult resultOf(HttpResponse<TruncatedBody.Beginning> response) {
        int status = response.statusCode();
        ActionResult result;
        if (status / 100 == 2) {
            result = ActionResult.succeeded();
        } else if (PASSING.contains(status) || status / 100 == 5) {
            result = ActionResult.failed("HTTP status " + status).retryAfter(retryAfter(response.headers()));
        } else {
            result = ActionResult.refused("HTTP status " + status);
        }
        return result.withStatus(status)
                .withOutput(
                        BodyText.of(response.body(), response.headers()),
                        response.body().isCut());
    }

    private Optional<Duration> retryAfter(HttpHeaders headers) {
        return headers.firstValue("Retry-After")
                .flatMap(value -> RetryAfter.parse(value, environment.clock().instant()));
    }

    private static String reasonOf(HttpCall call, Throwable error) {
        Throwable cause = RootCauses.of(error);
        String detail = Optional.ofNullable(cause.getMessage()).orElse("");
        return "no answer from " + call.url().getAuthority() + ": "
                + cause.getClass().getSimpleName() + (detail.isBlank() ? "" : ": " + detail);
    }
}
