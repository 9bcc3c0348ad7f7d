package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.HttpSender;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Makes single attempts at requests: adds what proves who asks, gives up in time. */
final class Transport {
    /** What an answer may be: a document of CouchDB's largest, and its conflicts' names. */
    static final int LARGEST_ANSWER = 16 << 20;

    private final CouchSettings settings;
    private final HttpSender sender;
    private final Session session;
    private final Address address;

    Transport(CouchSettings settings, Address address) {
        this.settings = settings;
        this.sender = new HttpSender(settings.client(), settings.executor());
        this.address = address;
        this.session = session(settings.credentials());
    }

    private Session session(Credentials credentials) {
        if (credentials instanceof Credentials.Basic basic) {
            return Session.constant(Optional.of(new Session.Proof("Authorization", basic.header())));
        }
        return credentials instanceof Credentials.Cookie cookie
                ? new CookieSession(() -> logIn(cookie))
                : Session.constant(Optional.empty());
    }

    private CompletableFuture<Answer> logIn(Credentials.Cookie cookie) {
        JsonNode body =
                JsonNodeFactory.instance.objectNode().put("name", cookie.name()).put("password", cookie.password());
        HttpRequest request =
                request("POST", address.ofServer("_session"), body).build();
        return inTime("POST " + request.uri(), sender.send(request, BoundedBody.ofAtMost(LARGEST_ANSWER)))
                .thenApply(Answer::of)
                .thenApply(answer -> succeeded(request, answer));
    }

    /** {@return the answer, whatever its status} */
    CompletableFuture<Answer> answer(String method, URI uri, @Nullable JsonNode body) {
        return answer(method, uri, body, LARGEST_ANSWER);
    }

    private CompletableFuture<Answer> answer(String method, URI uri, @Nullable JsonNode body, int most) {
        return inTime(method + " " + uri, open(request(method, uri, body), BoundedBody.ofAtMost(most)))
                .thenApply(Answer::of);
    }

    /** {@return the answer if it is a success; fails otherwise} */
    CompletableFuture<Answer> success(String method, URI uri, @Nullable JsonNode body) {
        return success(method, uri, body, LARGEST_ANSWER);
    }

    /** {@return the answer if it is a success; if it has more bytes than that, it cannot be read} */
    CompletableFuture<Answer> success(String method, URI uri, @Nullable JsonNode body, int most) {
        return answer(method, uri, body, most).thenApply(answer -> succeeded(method + " " + uri, answer));
    }

    Answer succeeded(String request, Answer answer) {
        if (!answer.isSuccess()) {
            throw answer.refusal(request, settings.environment().clock().instant());
        }
        return answer;
    }

    private Answer succeeded(HttpRequest request, Answer answer) {
        return succeeded(request.method() + " " + request.uri(), answer);
    }

    static HttpRequest.Builder request(String method, URI uri, @Nullable JsonNode body) {
        return HttpRequest.newBuilder(uri)
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? BodyPublishers.noBody()
                                : Json.write(body).publisher());
    }

    /**
     * Sends a request with proof of who asks; a proof that has run out is renewed once. Cancelling what this returns ends
     * the request.
     */
    <T> CompletableFuture<HttpResponse<T>> open(HttpRequest.Builder request, BodyHandler<T> handler) {
        Cancellable<HttpResponse<T>> result = new Cancellable<>();
        var unused = sendWithProof(request, handler, result)
                .thenCompose(first -> first.mayBeRenewed()
                        ? sendWithProof(request, handler, result)
                        : CompletableFuture.completedFuture(first))
                .whenComplete((sent, thrown) -> {
                    if (thrown == null) {
                        result.complete(sent.response());
                    } else {
                        result.completeExceptionally(thrown);
                    }
                });
        return result;
    }

    private record Sent<T>(HttpResponse<T> response, boolean mayBeRenewed) {}

    private <T> CompletableFuture<Sent<T>> sendWithProof(
            HttpRequest.Builder request, BodyHandler<T> handler, Cancellable<HttpResponse<T>> result) {
        return session.proof().thenCompose(proof -> {
            HttpRequest.Builder proven = request.copy();
            proof.ifPresent(known -> proven.setHeader(known.name(), known.value()));
            return result.nowAt(sender.send(proven.build(), handler)).thenApply(response -> {
                session.see(response.headers());
                return new Sent<>(response, response.statusCode() == 401 && session.renew(proof));
            });
        });
    }

    private <T> CompletableFuture<T> inTime(String request, CompletableFuture<T> answer) {
        Cancellable<T> result = new Cancellable<>();
        var ignored = result.nowAt(answer);
        ScheduledFuture<?> timer = settings.environment()
                .scheduler()
                .schedule(
                        () -> settings.executor().execute(() -> {
                            result.completeExceptionally(PassingFault.late("No answer to " + request + " within "
                                    + settings.timeout().toSeconds() + " s"));
                            answer.cancel(true);
                        }),
                        settings.timeout().toNanos(),
                        TimeUnit.NANOSECONDS);
        var unused = answer.whenComplete((value, thrown) -> {
            timer.cancel(false);
            if (thrown == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(PassingFault.of(thrown));
            }
        });
        return result;
    }
}
