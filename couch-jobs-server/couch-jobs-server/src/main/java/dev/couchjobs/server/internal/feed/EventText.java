package dev.couchjobs.server.internal.feed;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Server-sent events as text (WHATWG HTML, section 9.2). Data is written in as many lines as it has: payloads keep the
 * line ends of their JSON, and a client gets each as a line feed.
 */
final class EventText {
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    /** Writes where a client goes on that connects again. */
    EventText id(String id) {
        write("id: ");
        write(id);
        write("\n");
        return this;
    }

    /** Writes the name of an event that is no message. */
    EventText name(String name) {
        write("event: ");
        write(name);
        write("\n");
        return this;
    }

    EventText data(byte[] data) {
        write("data: ");
        for (int i = 0; i < data.length; i++) {
            if (data[i] == '\n' || (data[i] == '\r' && (i + 1 == data.length || data[i + 1] != '\n'))) {
                write("\ndata: ");
            } else if (data[i] != '\r') {
                text.write(data[i]);
            }
        }
        write("\n");
        return this;
    }

    EventText data(String data) {
        return data(data.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends an event. */
    void end() {
        write("\n");
    }

    private void write(String part) {
        text.writeBytes(part.getBytes(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
        return text.toByteArray();
    }
}
