package dev.couchjobs.bridge.internal;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Sends requests, each in a thread of the given executor, which also runs what depends on the answer. {@code
 * HttpClient.sendAsync} does not: it completes its future in the common pool, whatever executor the client has ({@code
 * ASYNC_POOL} in the JDK's {@code HttpClientImpl}), and the common pool belongs to everything in the process.
 */
public final class HttpSender {
    private final HttpClient client;
    private final Executor threads;

    /**
     * Sends by a client.
     *
     * @param client what speaks HTTP
     * @param threads threads that may be blocked
     */
    public HttpSender(HttpClient client, Executor threads) {
        this.client = client;
        this.threads = threads;
    }

    /**
     * Sends a request.
     *
     * @param <T> what is made of the answer's body
     * @param request what is sent
     * @param handler makes it
     * @return the answer, when its body is there; to cancel it ends the request
     */
    public <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> handler) {
        Exchange<T> exchange = new Exchange<>(request, handler);
        try {
            threads.execute(exchange.task);
        } catch (Throwable e) { // also an error, such as that there are no more threads
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
            } catch (Throwable e) { // also an error: the caller would wait forever
                completeExceptionally(e);
                return;
            }
            complete(response);
        }

        /**
         * Interrupts the thread only while it waits for the answer, never a continuation that cancels what it has got.
         */
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
