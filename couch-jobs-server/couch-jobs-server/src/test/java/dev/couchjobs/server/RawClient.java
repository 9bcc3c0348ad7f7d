package dev.couchjobs.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client that sends what it likes. */
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");

    private final Socket socket;
    private final InputStream in;

    RawClient(URI server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    void send(String text) throws IOException {
        send(bytes(text));
    }

    /** {@return whether the server has sent anything, or closed, within some milliseconds} */
    boolean hasReply(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            in.read();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) { // the server has reset the connection
            return true;
        } finally {
            socket.setSoTimeout(TIMEOUT_MILLIS);
        }
    }

    void end() throws IOException {
        socket.shutdownOutput();
    }

    /** {@return one reply to a request other than HEAD; what there is of it, if the server closes} */
    String readReply() throws IOException {
        StringBuilder reply = new StringBuilder();
        int end = Integer.MAX_VALUE;
        while (reply.length() < end) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            reply.append((char) next);
            if (next == '\n' && end == Integer.MAX_VALUE && reply.indexOf("\r\n\r\n") >= 0) {
                Matcher length = LENGTH.matcher(reply);
                end = reply.length() + (length.find() ? Integer.parseInt(length.group(1)) : 0);
            }
        }
        return reply.toString();
    }

    /** {@return all that the server sends until it closes} */
    String readAll() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                all.write(buffer, 0, count);
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // The server has reset the connection, because it has not read all.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
