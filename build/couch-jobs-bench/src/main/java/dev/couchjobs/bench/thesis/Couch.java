package dev.couchjobs.bench.thesis;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of a CouchDB database, which writes jobs and reads their progress. */
final class Couch {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI database;
    private final Optional<String> authorization;

    Couch(URI server, String name) {
        URI withName = server.resolve(name);
        authorization = Optional.ofNullable(withName.getUserInfo())
                .map(user -> "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
        database = URI.create(
                withName.getScheme() + "://" + withName.getHost() + ":" + withName.getPort() + withName.getPath());
    }

    URI address() {
        return database;
    }

    JsonNode send(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(database + path))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        authorization.ifPresent(value -> request.header("Authorization", value));
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException(
                    method + " " + database + path + ": " + response.statusCode() + " " + response.body());
        }
        return JsonMapper.shared().readTree(response.body());
    }
}
