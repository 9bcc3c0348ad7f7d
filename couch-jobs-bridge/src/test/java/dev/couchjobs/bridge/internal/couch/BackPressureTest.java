package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How much a server can send while the listener is busy. */
class BackPressureTest {
    private static final int BATCH = 10;
    private static final int ROWS_OF_A_BUFFER = 4;

    private final Connection connection = new Connection();
    private final Recorder recorder = new Recorder();
    private final CompletableFuture<Void> busy = new CompletableFuture<>();
    private int written;

    private void follow() {
        CouchSettings settings = CouchSettings.of(
                        URI.create("http://localhost/jobs"), new ManualTime().environment(), connection)
                .withBatch(BATCH);
        new HttpCouchDatabase(settings).follow(null, recorder);
    }

    /** Writes until the client stops reading, or the limit is reached. */
    private void writeOn() {
        for (int i = 0; i < 100 && connection.demand > 0; i++) {
            StringBuilder rows = new StringBuilder();
            for (int row = 0; row < ROWS_OF_A_BUFFER; row++) {
                written++;
                rows.append("{\"seq\":\"%d\",\"id\":\"d%d\",\"changes\":[{\"rev\":\"1-a\"}]}%n"
                        .formatted(written, written));
            }
            connection.write(rows.toString());
        }
    }

    @Test
    void whileAListenerIsBusyOneBatchIsReadAhead() {
        recorder.answerWith(busy);
        follow();
        writeOn();
        assertThat(recorder.calls()).isEqualTo(1);
        assertThat(connection.demand).isZero();
        assertThat(written).isLessThan(ROWS_OF_A_BUFFER + BATCH + ROWS_OF_A_BUFFER);

        int before = written;
        recorder.answerWith(new CompletableFuture<>());
        busy.complete(null);
        writeOn();
        assertThat(recorder.calls()).isEqualTo(2);
        assertThat(connection.demand).isZero();
        assertThat(written - before).isPositive().isLessThanOrEqualTo(BATCH + ROWS_OF_A_BUFFER);
    }

    @Test
    void whatComesWhileAListenerIsBusyIsOneBatch() {
        recorder.answerWith(busy);
        follow();
        writeOn();
        recorder.answerWith(new CompletableFuture<>());
        busy.complete(null);
        assertThat(recorder.when(calls -> calls.size() == 2).join().get(1).changes())
                .hasSize(BATCH);
    }

    @Test
    void aListenerThatIsNeverBusyIsReadForAsFastAsItComes() {
        follow();
        writeOn();
        assertThat(written).isEqualTo(100 * ROWS_OF_A_BUFFER);
        assertThat(Recorder.ids(recorder.when(calls -> true).join())).hasSize(written);
    }

    @Test
    void heartbeatsAndPiecesOfLinesAreReadOn() {
        follow();
        connection.write("\n");
        connection.write("{\"seq\":");
        assertThat(connection.demand).isEqualTo(1);
    }

    /** A client whose only connection is the test. */
    private static final class Connection extends HttpClient implements Flow.Subscription {
        private long demand;
        private @Nullable BodySubscriber<?> body;

        void write(String text) {
            demand--;
            if (body != null) {
                body.onNext(List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
            }
        }

        @Override
        public void request(long count) {
            demand += count;
        }

        @Override
        public void cancel() {
            demand = 0;
        }

        @Override
        public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler) {
            Info info = new Info();
            BodySubscriber<T> subscriber = handler.apply(info);
            if (request.uri().getPath().endsWith("/_changes")) {
                body = subscriber;
                subscriber.onSubscribe(this);
            } else {
                tellIdentity(subscriber);
            }
            return new Response<>(
                    request, subscriber.getBody().toCompletableFuture().join());
        }

        private static void tellIdentity(BodySubscriber<?> subscriber) {
            subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long count) {
                    // The body is written below.
                }

                @Override
                public void cancel() {}
            });
            subscriber.onNext(List.of(ByteBuffer.wrap("{\"id\":\"one\"}".getBytes(StandardCharsets.UTF_8))));
            subscriber.onComplete();
        }

        private record Info() implements HttpResponse.ResponseInfo {
            @Override
            public int statusCode() {
                return 200;
            }

            @Override
            public HttpHeaders headers() {
                return HttpHeaders.of(Map.of(), (name, value) -> true);
            }

            @Override
            public Version version() {
                return Version.HTTP_1_1;
            }
        }

        private record Response<T>(HttpRequest request, T body) implements HttpResponse<T> {
            @Override
            public int statusCode() {
                return 200;
            }

            @Override
            public Optional<HttpResponse<T>> previousResponse() {
                return Optional.empty();
            }

            @Override
            public HttpHeaders headers() {
                return new Info().headers();
            }

            @Override
            public Optional<javax.net.ssl.SSLSession> sslSession() {
                return Optional.empty();
            }

            @Override
            public URI uri() {
                return request.uri();
            }

            @Override
            public Version version() {
                return Version.HTTP_1_1;
            }
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
            return sendAsync(request, handler);
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
            throw new UnsupportedOperationException("It completes in the common pool");
        }

        @Override
        public Optional<CookieHandler> cookieHandler() {
            return Optional.empty();
        }

        @Override
        public Optional<Duration> connectTimeout() {
            return Optional.empty();
        }

        @Override
        public Redirect followRedirects() {
            return Redirect.NEVER;
        }

        @Override
        public Optional<ProxySelector> proxy() {
            return Optional.empty();
        }

        @Override
        public SSLContext sslContext() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SSLParameters sslParameters() {
            return new SSLParameters();
        }

        @Override
        public Optional<Authenticator> authenticator() {
            return Optional.empty();
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }

        @Override
        public Optional<Executor> executor() {
            return Optional.of(Runnable::run);
        }
    }
}
