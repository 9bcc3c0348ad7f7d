package dev.couchjobs.server.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An HTTP server that answers as a test says, also with what is no HTTP. */
final class ScriptedServer implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");

    private final ServerSocket server;
    private final Script script;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    /** @param length of the body */
    record Request(String path, int length) {}

    interface Script {
        /** {@return the answer to a request whose body has not been read} */
        Answer answer(Request request);

        /** Receives the body of a request, and returns the answer to it, which is the first one unless that is good. */
        Answer answer(Request request, byte[] body, Answer first);
    }

    ScriptedServer(Script script) {
        this.script = script;
        try {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                connections.add(connection);
                start(() -> serve(connection));
            } catch (IOException e) {
                return; // the test closes it
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            while (exchange(connection, in)) {}
        } catch (IOException e) {
            // the client has closed it
        } finally {
            connections.remove(connection);
        }
    }

    /** {@return whether the connection is kept} */
    private boolean exchange(Socket connection, InputStream in) throws IOException {
        String head = head(in);
        if (head.isEmpty()) {
            return false;
        }
        Matcher length = LENGTH.matcher(head);
        Request request = new Request(head.split(" ", 3)[1], length.find() ? Integer.parseInt(length.group(1)) : 0);
        Answer answer = script.answer(request);
        if (answer.after() != Answer.After.CLOSE_UNREAD) {
            byte[] body = in.readNBytes(request.length());
            if (body.length < request.length()) {
                return false;
            }
            answer = script.answer(request, body, answer);
        }
        connection.getOutputStream().write(answer.text().getBytes(UTF_8));
        return switch (answer.after()) {
            case KEEP -> true;
            case CLOSE, CLOSE_UNREAD -> false;
            case SILENCE -> in.read() >= 0;
        };
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
