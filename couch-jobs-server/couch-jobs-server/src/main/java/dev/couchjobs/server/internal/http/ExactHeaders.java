package dev.couchjobs.server.internal.http;

/**
 * Sets headers of a reply as they are. A servlet container completes and normalises a Content-Type that a servlet sets,
 * and the one of a payload is not its own to change.
 */
@FunctionalInterface
public interface ExactHeaders {
    /** The attribute of a request that has them, if the server can set them. */
    String ATTRIBUTE = "dev.couchjobs.server.headers";

    void set(String name, String value);
}
