package dev.couchjobs.server.internal.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Replies as gzip, for clients that take it. Each encoding has its own entity tag, so the tags that clients send are
 * read without the mark of the encoding. Bodies that are written in parts stay as they are.
 */
public final class Gzip {
    private static final int BYTES_MIN = 1_024;

    /** A larger body would keep a thread of the database busy for too long. */
    private static final int BYTES_MAX = 1_048_576;

    private static final String MARK = "-gzip\"";
    private static final String ENCODING = "Content-Encoding";

    private Gzip() {}

    /** {@return whether a request takes gzip, by its header Accept-Encoding} */
    public static boolean isTaken(Exchange exchange) {
        return exchange.header("Accept-Encoding").filter(Gzip::names).isPresent();
    }

    static boolean names(String accepted) {
        boolean takesAny = false;
        for (String part : accepted.split(",", -1)) {
            String[] coding = part.strip().split(";", -1);
            boolean isRefused = coding.length > 1 && coding[1].strip().matches("(?i)q=0(\\.0*)?");
            if (coding[0].strip().equalsIgnoreCase("gzip")) {
                return !isRefused;
            }
            takesAny |= coding[0].strip().equals("*") && !isRefused;
        }
        return takesAny;
    }

    /** {@return the tag of a condition, without the mark of the encoding} */
    static String plain(String tag) {
        return tag.endsWith(MARK) ? tag.substring(0, tag.length() - MARK.length()) + '"' : tag;
    }

    /** {@return a file as gzip, as small as can be} */
    public static Reply file(Reply plain) {
        return as(plain, Deflater.BEST_COMPRESSION);
    }

    /** {@return a reply as the client of a request takes it} */
    public static Reply forClient(Reply reply, Exchange exchange) {
        if (reply.status() == 304) {
            Optional<String> tag = Optional.ofNullable(reply.headers().get("ETag"));
            return tag.map(Gzip::marked)
                    .filter(own -> EntityTags.of(exchange.header("If-None-Match"))
                            .filter(known -> known.has(own))
                            .isPresent())
                    .map(own -> varying(reply).with("ETag", own))
                    .orElseGet(() -> varying(reply));
        }
        boolean isRead = exchange.isHead() || exchange.method().equals("GET");
        boolean isJson = Reply.JSON.equals(reply.headers().get("Content-Type"));
        if (!isRead || !isJson || reply.source().isPresent()) {
            return reply;
        }
        int length = reply.body().length;
        return isTaken(exchange) && length >= BYTES_MIN && length <= BYTES_MAX
                ? as(reply, Deflater.BEST_SPEED)
                : varying(reply);
    }

    /** {@return a reply that is another one for clients with another header Accept-Encoding} */
    public static Reply varying(Reply reply) {
        return reply.with("Vary", "Accept-Encoding");
    }

    private static Reply as(Reply plain, int level) {
        Reply reply = varying(plain.withBody(compressed(plain.body(), level))).with(ENCODING, "gzip");
        String tag = plain.headers().get("ETag");
        return tag == null ? reply : reply.with("ETag", marked(tag));
    }

    private static String marked(String tag) {
        return tag.substring(0, tag.length() - 1) + MARK;
    }

    private static byte[] compressed(byte[] content, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length / 4);
        try (OutputStream gzip = new Leveled(out, level)) {
            gzip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException("Memory can be written.", e);
        }
        return out.toByteArray();
    }

    private static final class Leveled extends GZIPOutputStream {
        Leveled(OutputStream out, int level) throws IOException {
            super(out);
            def.setLevel(level);
        }
    }
}
