package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The address of a database.
 *
 * @param server the server's root, with or without a path, and with a slash at its end
 * @param database the database's name as in the address; a slash in it is {@code %2F}
 */
record Address(String server, String database) {

    /** Splits the address of a database. It ignores a name and a password. */
    static Address of(URI address) {
        String path = address.getRawPath() == null ? "" : address.getRawPath().replaceAll("/+$", "");
        int slash = path.lastIndexOf('/');
        boolean isHttp = "http".equalsIgnoreCase(address.getScheme()) || "https".equalsIgnoreCase(address.getScheme());
        if (!isHttp || address.getHost() == null || slash < 0 || address.getRawQuery() != null) {
            throw new IllegalArgumentException("\"" + withoutPassword(address)
                    + "\" is not the address of a CouchDB database; it looks like http://localhost:5984/jobs");
        }
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        String root = address.getScheme() + "://" + address.getHost() + port;
        return new Address(root + path.substring(0, slash + 1), path.substring(slash + 1));
    }

    private static String withoutPassword(URI address) {
        @Nullable String userInfo = address.getRawUserInfo();
        return userInfo == null ? address.toString() : address.toString().replace(userInfo + "@", "");
    }

    URI ofServer(String path) {
        return URI.create(server + path);
    }

    /** {@return the address of a path in the database} */
    URI of(String pathAndQuery) {
        return URI.create(server + database + pathAndQuery);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
        return server + database;
    }
}
