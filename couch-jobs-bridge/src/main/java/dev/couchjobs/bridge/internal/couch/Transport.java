package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.HttpSender;
import dev.couchjobs.bridge.internal.RootCauses;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Sends single requests: authenticates them, and limits their time. */
final class Transport {
    /** The size limit of an answer: the largest document of CouchDB, with the names of its conflicts. */
    static final int LARGEST_ANSWER = 16 << 20;

    private final CouchSettings settings;
    private final HttpSender sender;
    private final Session session;
    private final Address address;
    private final LoginThrottle loginThrottle;
    private volatile boolean isClosed;

    Transport(CouchSettings settings, Address address, LoginThrottles loginThrottles) {
        this.settings = settings;
        this.sender = new HttpSender(settings.client(), settings.executor());
        this.address = address;
        this.session = session(settings.credentials());
        this.loginThrottle = loginThrottles.gate(settings, address);
    }

    private Session session(Credentials credentials) {
        if (credentials instanceof Credentials.Basic basic) {
            return Session.constant(Optional.of(new Session.Proof("Authorization", basic.header())));
        }
        return credentials instanceof Credentials.Cookie cookie
                ? new CookieSession(() -> logIn(cookie))
                : Session.constant(Optional.empty());
    }

    private CompletableFuture<CouchResponse> logIn(Credentials.Cookie cookie) {
        JsonNode body =
                JsonNodeFactory.instance.objectNode().put("name", cookie.name()).put("password", cookie.password());
        HttpRequest request =
                request("POST", address.ofServer("_session"), body).build();
        return inTime("POST " + request.uri(), sender.send(request, BoundedBody.ofAtMost(LARGEST_ANSWER)))
                .thenApply(CouchResponse::of)
                .thenApply(couchResponse -> succeeded(request, known(couchResponse)));
    }

    /** {@return why the server refuses the user; empty if it does not} */
    Optional<String> trouble() {
        return loginThrottle.trouble();
    }

    /** {@return the answer, of any status} */
    CompletableFuture<CouchResponse> answer(String method, URI uri, @Nullable JsonNode body) {
        return answer(method, uri, body, LARGEST_ANSWER);
    }

    private CompletableFuture<CouchResponse> answer(String method, URI uri, @Nullable JsonNode body, int most) {
        HttpRequest.Builder request = request(method, uri, body);
        return admitted(() -> inTime(method + " " + uri, exchange(request, BoundedBody.ofAtMost(most))));
    }

    /** {@return the answer if it is a success; fails otherwise} */
    CompletableFuture<CouchResponse> success(String method, URI uri, @Nullable JsonNode body) {
        return success(method, uri, body, LARGEST_ANSWER);
    }

    /** {@return the answer if it is a success; fails otherwise, and if it exceeds the size limit} */
    CompletableFuture<CouchResponse> success(String method, URI uri, @Nullable JsonNode body, int most) {
        return answer(method, uri, body, most).thenApply(couchResponse -> succeeded(method + " " + uri, couchResponse));
    }

    CouchResponse succeeded(String request, CouchResponse couchResponse) {
        if (!couchResponse.isSuccess()) {
            throw couchResponse.refusal(request, settings.environment().clock().instant());
        }
        return couchResponse;
    }

    private CouchResponse succeeded(HttpRequest request, CouchResponse couchResponse) {
        return succeeded(request.method() + " " + request.uri(), couchResponse);
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
     * Starts a request whose answer may have no end.
     *
     * @param watchdog listens while the request is under way, and not while it waits to be sent
     * @return the beginning of the answer; cancelling it ends the request
     */
    CompletableFuture<CouchResponse> open(
            HttpRequest.Builder request, BodyHandler<Optional<ByteChunks>> handler, Watchdog watchdog) {
        watchdog.pause();
        return admitted(() -> {
            watchdog.listen();
            CompletableFuture<CouchResponse> sent = exchange(request, handler);
            var unused = sent.whenComplete((couchResponse, thrown) -> {
                if (thrown != null) {
                    watchdog.pause();
                }
            });
            return sent;
        });
    }

    /** Sends a request when the throttle permits it, and again if the server refuses the user. */
    private CompletableFuture<CouchResponse> admitted(Supplier<CompletableFuture<CouchResponse>> request) {
        Cancellable<CouchResponse> result = new Cancellable<>();
        loginThrottle.enter(pass -> admitted(pass, request, result));
        return result;
    }

    private void admitted(
            LoginThrottle.Pass pass,
            Supplier<CompletableFuture<CouchResponse>> request,
            Cancellable<CouchResponse> result) {
        if (isClosed) {
            result.completeExceptionally(new TransientException("The connection to the database is closed"));
        }
        if (result.isDone()) {
            pass.leave();
            return;
        }
        var unused = result.nowAt(started(request)).whenComplete((couchResponse, thrown) -> {
            if (thrown != null && RootCauses.of(thrown) instanceof UserRefused refused) {
                pass.refuse(refused.refusal, again -> admitted(again, request, result));
            } else if (thrown != null) {
                pass.leave();
                result.completeExceptionally(thrown);
            } else {
                report(couchResponse, pass);
                result.complete(couchResponse);
            }
        });
    }

    private static CompletableFuture<CouchResponse> started(Supplier<CompletableFuture<CouchResponse>> request) {
        try {
            return request.get();
        } catch (Throwable e) { // also an error, for which the throttle would wait forever
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A server that is overloaded or fails may not have checked the user. */
    private static void report(CouchResponse couchResponse, LoginThrottle.Pass pass) {
        if (couchResponse.status() >= 500 || couchResponse.status() == 429 || couchResponse.status() == 408) {
            pass.leave();
        } else {
            pass.accept();
        }
    }

    /** {@return the answer, if the server accepts the user} A request without a user cannot lock an account. */
    private CouchResponse known(CouchResponse couchResponse) {
        if (settings.credentials() instanceof Credentials.None) {
            return couchResponse;
        }
        couchResponse.userRefusal().ifPresent(refusal -> {
            throw new UserRefused(refusal);
        });
        return couchResponse;
    }

    private static final class UserRefused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient LoginThrottle.Refusal refusal;

        UserRefused(LoginThrottle.Refusal refusal) {
            super(refusal.text(), null, false, false);
            this.refusal = refusal;
        }
    }

    /** Sends an authenticated request, and renews an expired proof once. Cancelling the future ends the request. */
    private CompletableFuture<CouchResponse> exchange(
            HttpRequest.Builder request, BodyHandler<Optional<ByteChunks>> handler) {
        Cancellable<CouchResponse> result = new Cancellable<>();
        var unused = sendWithProof(request, handler, result)
                .thenCompose(first -> first.mayBeRenewed()
                        ? sendWithProof(request, handler, result)
                        : CompletableFuture.completedFuture(first))
                .thenApply(sent -> known(sent.couchResponse()))
                .whenComplete((couchResponse, thrown) -> {
                    if (thrown == null) {
                        result.complete(couchResponse);
                    } else {
                        result.completeExceptionally(thrown);
                    }
                });
        return result;
    }

    private record Sent(CouchResponse couchResponse, boolean mayBeRenewed) {}

    private CompletableFuture<Sent> sendWithProof(
            HttpRequest.Builder request, BodyHandler<Optional<ByteChunks>> handler, Cancellable<CouchResponse> result) {
        return session.proof().thenCompose(proof -> {
            HttpRequest.Builder proven = request.copy();
            proof.ifPresent(known -> proven.setHeader(known.name(), known.value()));
            return result.nowAt(sender.send(proven.build(), handler)).thenApply(response -> {
                session.see(response.headers());
                return new Sent(CouchResponse.of(response), response.statusCode() == 401 && session.renew(proof));
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
                            result.completeExceptionally(TransientException.late("No answer to " + request + " within "
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
                result.completeExceptionally(fault(thrown));
            }
        });
        return result;
    }

    private static Throwable fault(Throwable thrown) {
        Throwable cause = RootCauses.of(thrown);
        return cause instanceof UserRefused ? cause : TransientException.of(cause);
    }

    /** Cancels the requests that wait for the throttle. */
    void close() {
        isClosed = true;
    }
}
