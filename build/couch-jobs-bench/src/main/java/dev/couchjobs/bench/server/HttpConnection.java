package dev.couchjobs.bench.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection for one request at a time, which costs as little as possible: the client shares the processors. */
public final class HttpConnection implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("\r\nContent-Length: (\\d+)");
    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final int STATUS_LETTERS = 3;
    /** Longer than a call for claims may wait. */
    private static final int SILENCE_MAX_MILLIS = 60_000;

    private static final int HEAD_MAX = 8_192;

    private final Socket socket;
    private final InputStream in;
    private final byte[] head = new byte[HEAD_MAX];

    /** Thrown if the reply is not one of success. The connection can be used again. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        private final int status;

        RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** {@return the status of the reply} */
        public int status() {
            return status;
        }
    }

    /**
     * Connects to a server on this machine.
     *
     * @param port its port
     * @throws IOException if there is none
     */
    public HttpConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(SILENCE_MAX_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * {@return a request that sends JSON}
     *
     * @param path its path
     * @param json its body
     */
    public static byte[] post(String path, String json) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length + "\r\n\r\n" + json)
                .getBytes(StandardCharsets.UTF_8);
    }

    static byte[] get(String path, String accepted) {
        return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + accepted + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Sends a request, and waits for the reply.
     *
     * @param request the request
     * @return the body of the reply, which is one of success
     * @throws RefusedException if the reply is another one
     * @throws IOException if the connection breaks, or the server is silent for a minute
     */
    public String send(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        String headers = readHead();
        Matcher length = LENGTH.matcher(headers);
        String body = length.find()
                ? new String(in.readNBytes(Integer.parseInt(length.group(1))), StandardCharsets.UTF_8)
                : "";
        if (!headers.startsWith("HTTP/1.1 2")) {
            int status = Integer.parseInt(headers.substring(STATUS_AT, STATUS_AT + STATUS_LETTERS));
            throw new RefusedException(status, headers + body);
        }
        return body;
    }

    private String readHead() throws IOException {
        int count = 0;
        while (count < 4 || head[count - 4] != '\r' || head[count - 2] != '\r' || head[count - 1] != '\n') {
            int next = in.read();
            if (next < 0) {
                throw new IOException("The server has closed the connection.");
            }
            head[count++] = (byte) next;
        }
        return new String(head, 0, count, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
