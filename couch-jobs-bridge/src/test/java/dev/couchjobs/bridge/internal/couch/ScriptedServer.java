package dev.couchjobs.bridge.internal.couch;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server that sends the exact answers of a test. It answers requests for the identity of the database itself, unless
 * the test does.
 */
final class ScriptedServer implements AutoCloseable {
    /** The identity of the database for feeds. */
    static final String IDENTITY = "the first one";

    private static final long PATIENCE_SECONDS = 20;

    private final ServerSocket listening;
    private volatile boolean isIdentified = true;
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private final List<Socket> open = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        return thread;
    });

    ScriptedServer() {
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    URI database() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/jobs");
    }

    /** Lets the test answer requests for the identity of the database. */
    ScriptedServer unidentified() {
        isIdentified = false;
        return this;
    }

    /** {@return the next request, when it has arrived} */
    Call call() {
        try {
            @Nullable Call call = calls.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (call == null) {
                throw new AssertionError("No request came");
            }
            return call;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean hasCalls() {
        return !calls.isEmpty();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                synchronized (open) {
                    open.add(socket);
                }
                threads.execute(() -> read(socket));
            } catch (IOException e) {
                // The server is closed.
            }
        }
    }

    private void read(Socket socket) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (String first = line(in); !first.isEmpty(); first = line(in)) {
                List<String> headers = new ArrayList<>();
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    headers.add(header);
                }
                byte[] body = in.readNBytes(length(headers));
                Call call = new Call(socket, first, headers, new String(body, StandardCharsets.UTF_8), left);
                if (isIdentified && call.target().endsWith("/_local/couch-jobs")) {
                    call.answer(200, "{\"id\":\"" + IDENTITY + "\"}");
                } else {
                    calls.add(call);
                }
            }
        } catch (IOException e) {
            // The client has closed its connection.
        } finally {
            left.complete(null);
        }
    }

    private static int length(List<String> headers) {
        return headers.stream()
                .filter(header -> header.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
                .mapToInt(header -> Integer.parseInt(header.substring(15).trim()))
                .findFirst()
                .orElse(0);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read >= 0 && read != '\n'; read = in.read()) {
            line.append((char) read);
        }
        return line.toString().trim();
    }

    /** A request that waits for its answer. */
    record Call(Socket socket, String first, List<String> headers, String body, CompletableFuture<Void> left) {
        /** {@return the path and the query} */
        String target() {
            return first.split(" ", -1)[1];
        }

        String header(String name) {
            String start = name.toLowerCase(java.util.Locale.ROOT) + ":";
            return headers.stream()
                    .filter(header -> header.toLowerCase(java.util.Locale.ROOT).startsWith(start))
                    .map(header -> header.substring(start.length()).trim())
                    .findFirst()
                    .orElse("");
        }

        void answer(int status, String json, String... headers) {
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
            List.of(headers).forEach(header -> head.append(header).append("\r\n"));
            int length = json.getBytes(StandardCharsets.UTF_8).length;
            boolean hasBody = !first.startsWith("HEAD ");
            write(head + "Content-Length: " + length + "\r\n\r\n" + (hasBody ? json : ""));
        }

        /** Begins an answer in chunks. */
        Call stream() {
            write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            return this;
        }

        Call chunk(byte[] bytes) {
            write(Integer.toHexString(bytes.length) + "\r\n");
            write(bytes);
            write("\r\n");
            return this;
        }

        Call chunk(String text) {
            return chunk(text.getBytes(StandardCharsets.UTF_8));
        }

        void endOfChunks() {
            write("0\r\n\r\n");
        }

        private void write(String text) {
            write(text.getBytes(StandardCharsets.UTF_8));
        }

        private void write(byte[] bytes) {
            try {
                socket.getOutputStream().write(bytes);
                socket.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Closes the connection. */
        void cut() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /**
         * {@return whether the client closes the connection} Waits for that without writing, because a client that
         * still reads would receive it.
         */
        boolean isLeft() {
            try {
                left.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            synchronized (open) {
                for (Socket socket : open) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
