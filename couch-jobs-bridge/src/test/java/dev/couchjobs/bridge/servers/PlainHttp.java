package dev.couchjobs.bridge.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Sends requests of a test without the code under test. */
public final class PlainHttp {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private PlainHttp() {}

    /** {@return the status of the answer to a request without a body; the address may contain name and password} */
    public static int send(String method, URI address) {
        Optional<String> user = Optional.ofNullable(address.getUserInfo());
        HttpRequest.Builder request = HttpRequest.newBuilder(withoutUser(address))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.noBody());
        user.ifPresent(known -> request.header("Authorization", basic(known)));
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static URI withoutUser(URI address) {
        return URI.create(address.toString().replace(address.getRawUserInfo() + "@", ""));
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }
}
