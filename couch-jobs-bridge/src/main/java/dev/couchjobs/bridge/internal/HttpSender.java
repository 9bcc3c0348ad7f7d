package dev.couchjobs.bridge.internal;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Sends requests, each on a thread of the given executor, which also runs the callbacks of its answer. {@code
 * HttpClient.sendAsync} completes its future in the common pool, whatever executor the client has ({@code ASYNC_POOL}
 * in the JDK's {@code HttpClientImpl}), and the whole process shares the common pool.
 */
public final class HttpSender {
    private final HttpClient client;
    private final Executor threads;

    /**
     * Creates a sender.
     *
     * @param client the HTTP client
     * @param threads threads that may block
     */
    public HttpSender(HttpClient client, Executor threads) {
        this.client = client;
        this.threads = threads;
    }

    /**
     * Sends a request.
     *
     * @param <T> the type of the answer's body
     * @param request the request
     * @param handler reads the body
     * @return the answer with its body; cancelling it ends the request
     */
    public <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> handler) {
        Exchange<T> exchange = new Exchange<>(request, handler);
        try {
            threads.execute(exchange.task);
        } catch (Throwable e) { // also an error, such as a lack of threads
            exchange.completeExceptionally(e);
        }
        return exchange;
    }

    private final class Exchange<T> extends CompletableFuture<HttpResponse<T>> {
        private final FutureTask<?> task;

        Exchange(HttpRequest request, BodyHandler<T> handler) {
            task = new FutureTask<>(() -> exchange(request, handler), null);
        }

        private void exchange(HttpRequest request, BodyHandler<T> handler) {
            HttpResponse<T> response;
            try {
                response = client.send(request, handler);
            } catch (Throwable e) { // also an error, for which the caller would wait forever
                completeExceptionally(e);
                return;
            }
            complete(response);
        }

        /** Interrupts the thread only while it waits for the answer, never in a callback that cancels the future. */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            if (isCancelled) {
                task.cancel(true);
            }
            return isCancelled;
        }
    }
}
