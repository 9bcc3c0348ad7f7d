package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.testing.Callbacks;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a callback of the server throws fails the request, and no other. */
@Timeout(60)
class CallbacksTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);
    private static final String PATH = "/v1/types/mail/jobs/a";

    private Supplier<Throwable> thrown = IllegalStateException::new;
    private boolean isThrowing;

    private final Map<String, UnaryOperator<JobsHttp>> cases = new LinkedHashMap<>(Map.of(
            "Authenticator.authenticate",
            http -> http.authenticator(request -> {
                maybe();
                return CompletableFuture.completedFuture(Optional.of(Access.of("x", Role.READ)));
            }),
            "Authenticator.authenticate, future",
            http -> http.authenticator(request -> isThrowing
                    ? CompletableFuture.failedFuture(thrown.get())
                    : CompletableFuture.completedFuture(Optional.of(Access.of("x", Role.READ)))),
            "JobsHttp.hidePayloads, condition",
            http -> http.hidePayloads(type -> {
                        maybe();
                        return false;
                    })
                    .authenticator(Authenticator.always(Access.of("x", Role.READ)))));

    @SuppressWarnings("unchecked")
    private <E extends Throwable> void maybe() throws E {
        if (isThrowing) {
            throw (E) thrown.get();
        }
    }

    static List<String> callbacks() {
        return List.copyOf(new CallbacksTest().cases.keySet());
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void whateverACallbackThrowsFailsTheRequest(String callback) {
        try (TestServer server = new TestServer(Objects.requireNonNull(cases.get(callback)))) {
            server.jobs.add(server.database, NewJob.of(MAIL, "secret").id("a")).join();
            for (Supplier<Throwable> each : Callbacks.THROWABLES.values()) {
                thrown = each;
                isThrowing = true;
                TestServer.Response failed = server.get(PATH);
                assertThat(failed.status()).isEqualTo(each.get() instanceof OutOfMemoryError ? 503 : 500);
                assertThat(failed.body().toString()).doesNotContain("secret");
                isThrowing = false;
                assertThat(server.get(PATH).status()).isEqualTo(200);
            }
        }
    }

    @Test
    void theDocsListTheCallbacks() throws IOException {
        assertThat(Callbacks.documented("The server")).containsExactlyInAnyOrderElementsOf(callbacks());
    }
}
